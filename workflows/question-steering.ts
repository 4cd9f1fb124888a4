import {
  CancellationScope,
  condition,
  isCancellation,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Deferral } from '../domain/runs/question-ref.js';
import type { Outcome } from '../domain/agent/question-result.js';
import type { SampleKey } from '../domain/ids.js';
import { waitingDetails } from '../domain/runs/workflow-details.js';
import {
  lookAgainSignal,
  pauseQuestionSignal,
  questionGoesOnSignal,
  questionWaitsSignal,
  resumeQuestionSignal,
  stopQuestionSignal,
} from './messages.js';
import { signalRun } from './signal-run.js';

/** Thrown between two turns of a question that is to end now. */
export class Stopped extends Error {
  override readonly name = 'Stopped';

  constructor(readonly outcome: Outcome) {
    super(outcome.kind);
  }
}

/** What others may do to a question while it is under way. */
export interface Steering {
  /** Resolves when the question may go on. Throws Stopped where it is to end. */
  readonly turnBoundary: () => Promise<void>;
  /** Does `work` unless it is given up; null where a pause or a stop took hold of it. */
  readonly interruptible: <T>(work: () => Promise<T>) => Promise<T | null>;
  /** Waits until a deferred call may be tried again, and tells the run meanwhile. */
  readonly wait: (deferral: Deferral) => Promise<void>;
  /** Resolves when the question has been neither paused nor waiting for so long, all in all. */
  readonly activeFor: (ms: number) => Promise<void>;
}

/** Longest that a question waits before it looks for itself whether its call may be made. */
const lookAgainMs = 10 * 60_000;

/** Listens to the run. Must be called before the workflow's first wait, lest a signal be missed. */
export function steered(key: SampleKey): Steering {
  let paused = false;
  let stop: Outcome | null = null;
  let told = 0;
  let waits = false;
  let underWay: CancellationScope | null = null;

  setHandler(pauseQuestionSignal, ({ now }) => {
    paused = true;
    if (now) underWay?.cancel();
  });
  setHandler(resumeQuestionSignal, () => {
    paused = false;
    told += 1;
  });
  setHandler(lookAgainSignal, () => {
    told += 1;
  });
  setHandler(stopQuestionSignal, (outcome) => {
    stop ??= outcome;
    underWay?.cancel();
  });

  async function turnBoundary(): Promise<void> {
    if (paused && stop === null) {
      setCurrentDetails('**Paused.** It goes on when its run is resumed.');
      await condition(() => !paused || stop !== null);
    }
    if (stop !== null) throw new Stopped(stop);
  }

  async function interruptible<T>(work: () => Promise<T>): Promise<T | null> {
    const scope = new CancellationScope({ cancellable: true });
    underWay = scope;
    try {
      return await scope.run(work);
    } catch (error) {
      // The pause may be over by the time the call has been given up.
      const isOurs = isCancellation(error) && scope.consideredCancelled;
      if (!isOurs || CancellationScope.current().consideredCancelled) throw error;
      return null;
    } finally {
      underWay = null;
    }
  }

  async function wait({ reason, message, retryAfterMs, need }: Deferral): Promise<void> {
    const ms = reason === 'quota' ? Math.max(retryAfterMs ?? 0, lookAgainMs) : retryAfterMs;
    const until = ms === null ? null : Date.now() + ms;
    const before = told;
    const isOver = (): boolean => told !== before || stop !== null;
    const isChild = workflowInfo().parent !== undefined;
    const waiting = { ...key, reason, message, until, need: need ?? null };
    setCurrentDetails(waitingDetails(waiting));
    await signalRun(questionWaitsSignal, waiting);
    waits = true;
    if (ms !== null) await condition(isOver, ms);
    // Nobody will tell a question without a run that it may go on.
    else if (isChild) await condition(isOver);
    else await condition(isOver, lookAgainMs);
    waits = false;
    // Whoever resumed or stopped it knows.
    if (!isOver()) await signalRun(questionGoesOnSignal, key);
  }

  async function activeFor(ms: number): Promise<void> {
    const isHeld = (): boolean => paused || waits;
    for (let left = ms; ;) {
      await condition(() => !isHeld());
      const since = Date.now();
      if (!(await condition(isHeld, Math.max(1, left)))) return;
      left -= Date.now() - since;
    }
  }

  return { turnBoundary, interruptible, wait, activeFor };
}
