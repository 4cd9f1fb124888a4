import { endedForOutsideReasons, outcomeKinds } from '../questions/outcome.js';
import { costText } from '../models/cost.js';
import { costOf, endedCount, type CarriedTotals } from './run-totals.js';

export interface ProgressMoment {
  readonly samples: number;
  readonly inFlight: number;
  readonly totals: CarriedTotals;
  /** Since this command began to watch. */
  readonly elapsedMs: number;
  /** Ended before it began to watch. */
  readonly endedBefore: number;
}

/** A run's progress on one line: `12/40 done · 1 failed · 8 in flight · 71 turns · 35k tokens · $0.12 · about 2 min left`. */
export function progressText(moment: ProgressMoment): string {
  const { samples, inFlight, totals } = moment;
  const ended = endedCount(totals);
  const failed = outsideFailures(totals);
  const left = timeLeftMs(moment, ended);
  return [
    `${ended - failed}/${samples} done`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(inFlight > 0 ? [`${inFlight} in flight`] : []),
    `${totals.turns} turns`,
    `${thousands(totals.usage.promptTokens + totals.usage.completionTokens)} tokens`,
    ...(ended > 0 ? [costText(costOf(totals))] : []),
    ...(left === null ? [] : [`about ${duration(left)} left`]),
  ].join(' · ');
}

/** Questions that ended for reasons outside the model. */
export const outsideFailures = (totals: CarriedTotals): number =>
  outcomeKinds
    .filter((kind) => endedForOutsideReasons[kind])
    .reduce((sum, kind) => sum + (totals.outcomes[kind] ?? 0), 0);

function timeLeftMs(moment: ProgressMoment, ended: number): number | null {
  const endedHere = ended - moment.endedBefore;
  const left = moment.samples - ended;
  return endedHere > 0 && left > 0 ? (moment.elapsedMs / endedHere) * left : null;
}

const thousands = (count: number): string =>
  count < 10_000 ? String(count) : `${Math.round(count / 1000)}k`;

/** `40 s`, `12 min`, `3 h 5 min`. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
