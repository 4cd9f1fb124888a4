import {
  CancellationScope,
  condition,
  isCancellation,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import type { Deferral, QuestionRef } from '../domain/runs/question-ref.js';
import type { Outcome } from '../domain/agent/question-result.js';
import { runWorkflowId, type SampleKey } from '../domain/ids.js';
import { waitingDetails } from '../domain/runs/workflow-details.js';
import {
  wakeQuestionSignal,
  pauseQuestionSignal,
  questionGoesOnSignal,
  questionWaitsSignal,
  resumeQuestionSignal,
  stopQuestionSignal,
} from './messages.js';
import { homeHere, signalWorkflow } from './signals.js';

/** Thrown between two turns of a question that is to end now. */
export class Stopped extends Error {
  override readonly name = 'Stopped';

  constructor(readonly outcome: Outcome) {
    super(outcome.kind);
  }
}

/** How a question reacts to its run: pauses, stops and deferred calls. */
export interface Steering {
  /** Waits while the question is paused. Throws Stopped where the question is to end. */
  readonly turnBoundary: () => Promise<void>;
  /** Runs `work`, and resolves to null where a pause or a stop cancelled it. */
  readonly interruptible: <T>(work: () => Promise<T>) => Promise<T | null>;
  /** Waits until a deferred call may be tried again, and reports the wait to the run. */
  readonly wait: (deferral: Deferral) => Promise<void>;
  /** Tells the run that the question waits no more, where it said that it does. */
  readonly goesOn: () => Promise<void>;
  /** Resolves when the question has run for `ms` in all, pauses and waits apart. */
  readonly activeFor: (ms: number) => Promise<void>;
}

/** After this time a question tries a deferred call again although nobody woke it. */
const retryDeferredMs = 10 * 60_000;

/** Registers the signals of the run. Call it before the workflow's first `await`, so that no signal is missed. */
export function steerQuestion({ run, uuid, epoch }: QuestionRef): Steering {
  const key: SampleKey = { uuid, epoch };
  const runId = runWorkflowId(homeHere(), run);
  let paused = false;
  let stop: Outcome | null = null;
  let wakeUps = 0;
  let isWaiting = false;
  /** What the run believes that the question waits for. */
  let reported: string | null = null;
  let call: CancellationScope | null = null;

  setHandler(pauseQuestionSignal, ({ now }) => {
    paused = true;
    if (now) call?.cancel();
  });
  setHandler(resumeQuestionSignal, () => {
    paused = false;
    wakeUps += 1;
  });
  setHandler(wakeQuestionSignal, () => {
    wakeUps += 1;
  });
  setHandler(stopQuestionSignal, (outcome) => {
    stop ??= outcome;
    call?.cancel();
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
    call = scope;
    try {
      return await scope.run(work);
    } catch (error) {
      // `paused` cannot be asked here: the pause may be over when the cancellation completes.
      const byRun = isCancellation(error) && scope.consideredCancelled;
      if (!byRun || CancellationScope.current().consideredCancelled) throw error;
      return null;
    } finally {
      call = null;
    }
  }

  async function wait(deferral: Deferral): Promise<void> {
    const { reason, message, retryAfterMs, need = null, failure = null, batch } = deferral;
    const ms = reason === 'quota' ? Math.max(retryAfterMs ?? 0, retryDeferredMs) : retryAfterMs;
    const until = ms === null ? null : Date.now() + ms;
    const before = wakeUps;
    const isOver = (): boolean => wakeUps !== before || stop !== null;
    const inBatch = batch !== undefined && { batch };
    const waiting = { ...key, reason, message, until, need, failure, ...inBatch };
    setCurrentDetails(waitingDetails(waiting));
    const kind = `${reason} ${failure ?? ''}`;
    // In a long outage the run is told once.
    const isKnown =
      reported === kind || (await signalWorkflow(runId, questionWaitsSignal, waiting));
    reported = isKnown ? kind : null;
    isWaiting = true;
    if (ms !== null) await condition(isOver, ms);
    // Nobody wakes a question that has no run.
    else if (isKnown) await condition(isOver);
    else await condition(isOver, retryDeferredMs);
    isWaiting = false;
    // A run that woke or stopped the question knows.
    if (isOver()) reported = null;
  }

  async function goesOn(): Promise<void> {
    if (reported === null) return;
    reported = null;
    await signalWorkflow(runId, questionGoesOnSignal, key);
  }

  async function activeFor(ms: number): Promise<void> {
    const isIdle = (): boolean => paused || isWaiting;
    for (let leftMs = ms; ;) {
      await condition(() => !isIdle());
      const since = Date.now();
      if (!(await condition(isIdle, Math.max(1, leftMs)))) return;
      leftMs -= Date.now() - since;
    }
  }

  return { turnBoundary, interruptible, wait, goesOn, activeFor };
}
