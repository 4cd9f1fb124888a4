import { costText } from '../domain/models/cost.js';
import { outsideFailures } from '../domain/runs/progress-text.js';
import { costOf, endedCount, type RunTotals } from '../domain/runs/run-totals.js';

/**
 * How a run ended, in a few lines for the terminal.
 * @param models - who answered, as the providers name themselves
 */
export function endReport(totals: RunTotals, models: readonly string[]): string {
  const outcomes = Object.entries(totals.outcomes)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ');
  const { scores, usage } = totals;
  const failed = outsideFailures(totals);
  return [
    `${endedCount(totals)} questions ended: ${outcomes || 'none'}`,
    `${totals.turns} turns, ${usage.calls} model calls, ${usage.promptTokens} prompt and ${usage.completionTokens} completion tokens${shares(totals)}`,
    `cost: ${costLine(totals)}`,
    scores.scored === 0
      ? `score: nothing to score (${scores.unscored} unscored)`
      : `score: ${scores.total} of ${scores.scored} scored (mean ${(scores.total / scores.scored).toFixed(3)}); ${scores.unscored} unscored`,
    ...(models.length > 0 ? [`answered by: ${models.join(', ')}`] : []),
    ...(failed > 0 ? [`${failed} ended for outside reasons: they are in no score`] : []),
  ].join('\n');
}

/** What of the tokens is cheaper, or unseen, and what was not asked for again. */
function shares({ usage }: RunTotals): string {
  const parts = [
    ...(usage.cachedTokens > 0 ? [`${usage.cachedTokens} of the prompt cached`] : []),
    ...(usage.reasoningTokens > 0 ? [`${usage.reasoningTokens} of the completion reasoning`] : []),
    ...(usage.cacheHits > 0 ? [`${usage.cacheHits} replies from the cache`] : []),
  ];
  return parts.length > 0 ? ` (${parts.join(', ')})` : '';
}

function costLine(totals: RunTotals): string {
  const cost = costOf(totals);
  const text = cost.unpricedCalls > 0 && cost.usd === 0 ? 'unknown' : costText(cost);
  return cost.unpricedCalls > 0
    ? `${text}; \`prices:\` in turnwise.yaml tells what the model costs`
    : text;
}
