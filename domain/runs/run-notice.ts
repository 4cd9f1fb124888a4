import type { HomeId } from '../home.js';
import type { RunId } from '../ids.js';
import { runCondition, type RunSummary } from './run-progress.js';
import type { RunState, ToldEvent } from './run-state.js';
import type { scoreMeans } from './run-totals.js';

/** What TURNWISE_WEBHOOK is sent, as JSON, when a run has come into a state, or has ended. */
export interface RunNotice {
  readonly event: ToldEvent | 'ended';
  readonly run: RunId;
  readonly home: HomeId;
  /** ISO 8601. */
  readonly at: string;
  /** What the run waits for, why it is held, or whether it is `done` or `cancelled`. */
  readonly reason: string;
  readonly progress: RunSummary;
  /** On each scale that has scores. */
  readonly score: ReturnType<typeof scoreMeans>;
}

/** What is told of a run in this state. Null while it goes on, or a person pauses it. */
export function eventOf(summary: RunSummary): ToldEvent | null {
  const condition = runCondition('running', { kind: 'open', progress: { summary } });
  if (condition === 'held') return summary.heldBy === 'budget' ? 'budget-reached' : 'held';
  return condition === 'waiting' ? 'waiting' : null;
}

/** Why a run is in such a state, in the words of a question that waits, or of what failed. */
export const reasonOf = ({ waiting, failedInRow }: RunState, { heldBy }: RunSummary): string =>
  (heldBy === 'failures'
    ? failedInRow
    : (waiting.find(({ reason }) => reason === heldBy) ?? waiting[0])
  )?.message ?? '';
