import type { WaitReason } from './question-ref.js';
import type { RunManifest } from './run-manifest.js';
import type { RunProgress, RunSummary } from './run-progress.js';
import type { SlowQuestion } from './slow-question.js';

/** What a run, or the building of a dataset, does, in the one word that every place shows. */
export const runConditions = ['running', 'waiting', 'held', 'paused', 'stopped', 'done'] as const;
export type RunCondition = (typeof runConditions)[number];

/** What the server says of a run that has not ended. */
export type LiveState = UnansweredState | OpenState;

export interface OpenState {
  readonly kind: 'open';
  readonly progress: RunProgress;
  /** Questions in flight without a new turn for a while, the slowest first. */
  readonly slow: readonly SlowQuestion[];
}

export type UnansweredState =
  /** No services run, so no worker continues the run. */
  | { readonly kind: 'no-services' }
  /** The server has no open workflow of the run. */
  | { readonly kind: 'not-open' }
  /** The workflow is open and no worker can go on with it. */
  | { readonly kind: 'stuck'; readonly why: string }
  /** The workflow is open and did not answer in time. */
  | { readonly kind: 'silent'; readonly workers: number };

/** As much as the word needs. */
export type LiveSummary =
  UnansweredState | { readonly kind: 'open'; readonly progress: Pick<RunProgress, 'summary'> };

/**
 * - `running`: questions go on.
 * - `waiting`: for something that comes back by itself, such as a service or a worker.
 * - `held`: no question goes on until a person mends something, pays or raises a budget.
 * - `paused`: by a person.
 * - `stopped`: nothing works on it, and it can be continued. So is a cancelled run.
 * - `done`: every question has ended.
 * @param live - null where the run has ended
 */
export function runCondition(
  status: RunManifest['status'],
  live: LiveSummary | null,
): RunCondition {
  if (status === 'done') return 'done';
  if (status === 'cancelled') return 'stopped';
  if (live?.kind === 'open') return conditionOf(live.progress.summary);
  return live?.kind === 'silent' && live.workers > 0 ? 'waiting' : 'stopped';
}

/** Behind the word for a run that has ended: why. */
export const endedReason = (status: RunManifest['status']): string =>
  status === 'cancelled' ? ': cancelled' : '';

function conditionOf({ heldBy, inFlight, waiting }: RunSummary): RunCondition {
  switch (heldBy) {
    case 'paused':
      return 'paused';
    case 'failures':
      return 'held';
    case 'budget':
    case 'quota':
    case 'outage':
      return conditionOfWait(heldBy);
    case 'stopping':
    case null:
      return inFlight > 0 && waiting === inFlight ? 'waiting' : 'running';
  }
}

/** Values of the search attribute of a run's state. A list of workflows then shows those that need somebody. */
export const runAttributes = ['run', 'held', 'paused'] as const;

/** `run` while no person is needed: what waits goes on by itself, often soon, and each change costs an event. */
export function runAttribute(summary: RunSummary): (typeof runAttributes)[number] {
  const condition = conditionOf(summary);
  return condition === 'held' || condition === 'paused' ? condition : 'run';
}

/** Of what waits and cannot go on without that. */
export function conditionOfWait(reason: WaitReason): RunCondition {
  switch (reason) {
    case 'budget':
    case 'quota':
      return 'held';
    case 'pause':
      return 'paused';
    case 'rate-limit':
    case 'run':
    case 'outage':
    case 'batch':
      return 'waiting';
  }
}

/** Of several: what is still to be done tells more than what has been. */
export const conditionOfAll = (conditions: readonly RunCondition[]): RunCondition =>
  runConditions.find((condition) => conditions.includes(condition)) ?? 'done';
