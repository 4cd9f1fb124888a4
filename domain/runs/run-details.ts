import { costText } from '../models/cost.js';
import { costOf, endedCount } from './run-totals.js';
import type { RunState } from './run-state.js';

/** Where a run is, in Markdown, for the Temporal UI's current details. */
export function runDetails({ samples, inFlight, totals }: RunState): string {
  const outcomes = Object.entries(totals.outcomes).map(([kind, count]) => `${count} ${kind}`);
  const { turns, scores, usage } = totals;
  return [
    `**${endedCount(totals)} of ${samples} questions ended**, ${inFlight.length} in flight`,
    ...(outcomes.length > 0 ? [outcomes.join(' · ')] : []),
    scores.scored === 0
      ? `no scores yet, ${scores.unscored} unscored`
      : `mean score ${(scores.total / scores.scored).toFixed(3)} over ${scores.scored} scored, ${scores.unscored} unscored`,
    `${turns} turns · ${usage.calls} model calls · ${usage.promptTokens} prompt and ${usage.completionTokens} completion tokens · ${costText(costOf(totals))}`,
  ].join('  \n');
}
