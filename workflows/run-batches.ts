import { condition, sleep, workflowInfo } from '@temporalio/workflow';
import { isZero, noAmount, sum, type Amount } from '../domain/budget/amount.js';
import {
  affordable,
  heldOf,
  noBatches,
  recordBatch,
  type Batched,
} from '../domain/budget/ledger.js';
import { keyText, type SampleKey } from '../domain/ids.js';
import type { BatchProgress } from '../domain/runs/batches.js';
import {
  collectable,
  recordResumed,
  recordWaits,
  type WaitingQuestion,
} from '../domain/runs/run-state.js';
import { wakeQuestionSignal } from './messages.js';
import type { RunControl } from './run-control.js';
import { forAWeek, queued } from './scheduling.js';

const { collectCalls, advanceBatch } = queued('1 hour', forAWeek);

/** A batch is looked at less and less often, up to this multiple of the pause. */
export const longestPause = 10;

/**
 * Collects the calls that the questions of a run wait for, has them sent in batches, and wakes the questions when a batch
 * has ended: those that it has not answered make their calls again. Ends with the history.
 */
export async function keepBatches(control: RunControl, pauseMs: number): Promise<void> {
  const watched = batchedIn(control).open.map(({ number }) => watch(control, number, pauseMs));
  await Promise.all([wakeAnswered(control), collectAll()]);
  await Promise.all(watched);

  async function collectAll(): Promise<void> {
    for (;;) {
      await condition(() => control.isOver || isDue(control));
      await untilQuiet(control, pauseMs);
      if (control.isOver) return;
      const calls = collectable(control.state);
      const covered = calls.slice(0, affordable(control.ledger, calls.map(needOf)));
      if (covered.length > 0) await collect(covered);
      // Like calls that are sent alone, they wait for the budget.
      else control.change(recordWaits(control.state, isOneOf(calls), { reason: 'budget' }));
    }
  }

  async function collect(calls: readonly WaitingQuestion[]): Promise<void> {
    const number = batchedIn(control).last + 1;
    const held = sum(calls.map(needOf));
    // Held at once: the budget may be leased to others meanwhile.
    control.change({ ledger: recordBatch(control.ledger, { number, held, spent: null }) });
    const keys = calls.map(({ uuid, epoch }) => ({ uuid, epoch }));
    const owner = { run: control.run };
    const { batches } = await collectCalls({ owner, keys, number, seed: workflowInfo().runId });
    control.change({ ledger: recordBatch(control.ledger, { number, held, spent: noAmount }) });
    for (const batch of batches) {
      control.change({ ledger: recordBatch(control.ledger, { ...batch, spent: null }) });
      control.change(recordWaits(control.state, isOneOf(batch.keys), { batch: batch.number }));
      watched.push(watch(control, batch.number, pauseMs));
    }
    // The others have no call any more, and know why.
    const isTaken = isOneOf(batches.flatMap((batch) => batch.keys));
    await wake(
      control,
      keys.filter((key) => !isTaken(key)),
    );
  }
}

/** Ends the batches that are open when no question needs them any more. What they have answered by then is paid. */
export async function endBatches(control: RunControl, pauseMs: number): Promise<void> {
  for (let troubles = 0; ;) {
    for (const { number, held } of batchedIn(control).open) {
      const progress = await advanceBatch({
        owner: { run: control.run },
        number,
        instead: 'cancel',
      });
      if (progress.waits.reason !== 'batch') troubles += 1;
      // What cannot be ended may be paid.
      const spent = troubles < mostTroubles ? progress.spent : held;
      control.change({ ledger: recordBatch(control.ledger, { ...progress, spent }) });
    }
    if (batchedIn(control).open.length === 0) return;
    await sleep(pauseMs);
  }
}

const mostTroubles = 10;

/** Advances a batch until it has ended, or the history ends. */
async function watch(control: RunControl, number: number, pauseMs: number): Promise<void> {
  const isIn = ({ batch }: WaitingQuestion): boolean => batch === number;
  for (let pause = pauseMs; ; pause = Math.min(2 * pause, longestPause * pauseMs)) {
    const owner = { run: control.run };
    const { paused } = control.state;
    const progress = await advanceBatch({ owner, number, ...(paused && { instead: 'hold' }) });
    const { waits, ...amounts } = progress;
    control.change({ ledger: recordBatch(control.ledger, amounts) });
    if (amounts.spent !== null) return;
    control.change(recordWaits(control.state, isIn, waitingFor(waits, pause)));
    // Who resumes the run forgets what waits.
    const hasTrouble = waits.reason !== 'batch' && control.state.waiting.some(isIn);
    const goesOn = (): boolean =>
      control.isOver ||
      control.state.paused !== paused ||
      (hasTrouble && !control.state.waiting.some(isIn));
    await condition(goesOn, waits.retryAfterMs ?? pause);
    if (control.isOver) return;
  }
}

const waitingFor = (
  { reason, message, failure, retryAfterMs }: BatchProgress['waits'],
  pause: number,
): Partial<WaitingQuestion> => ({
  ...{ reason, message, failure: failure ?? null },
  until: reason === 'batch' ? null : Date.now() + (retryAfterMs ?? pause),
});

/** Wakes the questions whose batches have ended. */
async function wakeAnswered(control: RunControl): Promise<void> {
  const answered = (): readonly WaitingQuestion[] => {
    const open = new Set(batchedIn(control).open.map(({ number }) => number));
    return control.state.waiting.filter(({ batch }) => batch !== undefined && !open.has(batch));
  };
  for (;;) {
    await condition(() => control.isOver || answered().length > 0);
    if (control.isOver) return;
    await wake(control, answered());
  }
}

async function wake(control: RunControl, keys: readonly SampleKey[]): Promise<void> {
  control.change(recordResumed(control.state, keys));
  await Promise.all(keys.map((key) => control.signal(key, wakeQuestionSignal)));
}

/** Whether the budget covers a call, or will not cover any. */
function isDue({ state, ledger }: RunControl): boolean {
  const calls = collectable(state);
  const isCovered = affordable(ledger, calls.map(needOf)) > 0;
  return calls.length > 0 && (isCovered || isZero(heldOf(ledger)));
}

/** Waits until no question can add a call, or none has added one for a while. */
async function untilQuiet(control: RunControl, pauseMs: number): Promise<void> {
  for (let before = -1; before !== collectable(control.state).length;) {
    before = collectable(control.state).length;
    if (await condition(() => control.isOver || control.isAllWaiting, pauseMs)) return;
  }
}

const batchedIn = ({ ledger: { batched = noBatches } }: RunControl): Batched => batched;

const needOf = ({ need }: WaitingQuestion): Amount => need ?? noAmount;

function isOneOf(keys: readonly SampleKey[]): (key: SampleKey) => boolean {
  const names = new Set(keys.map(keyText));
  return (key) => names.has(keyText(key));
}
