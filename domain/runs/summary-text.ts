import { grouped } from '../grouped.js';
import type { RunId } from '../ids.js';
import { dollars } from '../models/cost.js';
import { waitLabels } from '../questions/question-details.js';
import type { RunProgress, RunSummary } from './run-progress.js';

/** Where a run is, on one line: `3 of 40 questions ended · 5 in flight, 2 of them waiting · at most 8 · $0.31 of $2.00`. */
export function summaryText(summary: RunSummary): string {
  const { samples, ended, inFlight, waiting, concurrency, deadline } = summary;
  return [
    `${ended} of ${samples} questions ended`,
    `${inFlight} in flight${waiting > 0 ? `, ${waiting} of them waiting` : ''}`,
    `at most ${concurrency} at once`,
    ...budgetTexts(summary),
    ...(deadline === null ? [] : [`until ${deadline}`]),
  ].join(' · ');
}

function budgetTexts({ budget: { cap, spent } }: RunSummary): readonly string[] {
  return [
    ...(cap.usd === null ? [] : [`${dollars(spent.usd)} of ${dollars(cap.usd)} spent`]),
    ...(cap.tokens === null ? [] : [`${grouped(spent.tokens)} of ${grouped(cap.tokens)} tokens`]),
  ];
}

/** Why a run, or what is left of it, does not go on by itself, and what to do about it; null where it does. */
export function holdText(
  run: RunId,
  { summary, waiting }: Pick<RunProgress, 'summary' | 'waiting'>,
): string | null {
  const { heldBy, parked } = summary;
  const messageOf = (wanted: string): string =>
    waiting.find(({ reason }) => reason === wanted)?.message ?? '';
  switch (heldBy) {
    case 'stopping':
      return 'it is ending what is left';
    case 'paused':
      return `paused: \`turnwise resume ${run}\` lets it go on`;
    case 'quota':
      return `${waitLabels.quota} (${messageOf('quota')}); once there is some, \`turnwise resume ${run}\` goes on at once, and else it looks again every ten minutes`;
    case 'budget':
      return `${waitLabels.budget} (${budgetTexts(summary).join(', ')}): \`turnwise tune ${run} ${raised(summary)}\` lets it go on`;
    case null:
      return parked
        ? `every question in flight waits: ${waitLabels['retries-exhausted']} (${messageOf('retries-exhausted')}); \`turnwise resume ${run}\` tries again`
        : null;
  }
}

/** The flag that would raise the ceiling that was hit, with a figure to begin with. */
function raised({ budget: { cap, spent } }: RunSummary): string {
  const share = (of: number, all: number | null): number => (all === null ? -1 : of / all);
  return share(spent.usd, cap.usd) >= share(spent.tokens, cap.tokens)
    ? `--budget-usd ${Number(((cap.usd ?? 0) * 2).toPrecision(3))}`
    : `--budget-tokens ${(cap.tokens ?? 0) * 2}`;
}
