import type { RunId, SampleKey } from '../domain/ids.js';
import type { RunSummary } from '../domain/runs/run-progress.js';
import type { RunState } from '../domain/runs/run-state.js';
import type { OneAtATime } from './one-at-a-time.js';

/** A run's workflow, as its parts see it. */
export interface LiveRun {
  readonly run: RunId;
  readonly state: () => RunState;
  readonly change: (next: RunState) => void;
  /** Nothing more is to be started, or to be waited for, in this history. */
  readonly isOver: () => boolean;
  /** It ends, whatever is asked of it. */
  readonly isEnding: () => boolean;
  readonly summary: () => RunSummary;
  /** Until the run's files have been looked at. */
  readonly isOpened: () => boolean;
  readonly untilOpened: () => Promise<void>;
  /** Until every question in flight can be reached. */
  readonly untilStarted: () => Promise<void>;
  /** Keeps this history from starting a question. False where it was barred already. */
  readonly bar: (key: SampleKey) => boolean;
  readonly unbar: (key: SampleKey) => void;
  /** What changes the published results. */
  readonly publishing: OneAtATime;
}
