import { allHandlersFinished, condition, continueAsNew } from '@temporalio/workflow';
import { park, afterStep, gateTimedOut, type StepEnd } from '../../domain/building/decide.js';
import { type Annotators } from '../../domain/building/decision-problem.js';
import {
  isClosed,
  newItem,
  versionsInUse,
  type Gate,
  type Item,
  type ItemStateName,
} from '../../domain/building/item.js';
import { isTransient } from '../../domain/failure-type.js';
import { preview } from '../../domain/formats/text.js';
import type { DatasetName, ItemId } from '../../domain/ids.js';
import { noAttempts, type CallAttempts } from '../../domain/models/call-attempts.js';
import type { Deferral } from '../../domain/runs/question-ref.js';
import { failedActivity } from '../activity-failure.js';
import { callWithRetries, orDeferral, type Deferred } from '../model-call.js';
import { ItemControl } from './item-control.js';
import { acceptDecisions } from './item-gates.js';
import { forAWeek, queued } from '../scheduling.js';

const { openItem } = queued('5 minutes', forAWeek);

export interface DatasetItemInput {
  readonly dataset: DatasetName;
  readonly id: ItemId;
  readonly modelTimeoutMs: number;
  readonly modelAttempts: number;
  /** People who decide apart at each gate. */
  readonly annotators: Annotators;
  /** After which an item is parked if nobody decides; null for no limit. */
  readonly gateTimeoutMs: number | null;
  /** Carried from an earlier history. */
  readonly item?: Item;
}

/**
 * Builds one item of a dataset: models work up to a gate, at which the item waits for a person's decision for as long as that
 * takes. A waiting item does nothing.
 */
export async function datasetItemWorkflow(
  input: DatasetItemInput,
): Promise<{ readonly state: ItemStateName }> {
  const { dataset, id, annotators, gateTimeoutMs } = input;
  const control = new ItemControl(dataset, input.item ?? newItem(id, timeNow()));
  acceptDecisions(control, annotators);
  if (input.item === undefined) {
    const known = await openItem({ dataset, item: id });
    if (known !== null) control.change(known);
  }
  control.isOpened = true;
  while (!isClosed(control.item) && !control.isFull) {
    const { gate } = control.item;
    if (gate === null) await makeStep(control, input);
    else await waitAt(control, gate, gateTimeoutMs);
  }
  await control.keep();
  if (isClosed(control.item)) await control.report({ kind: 'closed', item: id });
  await condition(allHandlersFinished);
  if (isClosed(control.item)) return { state: control.item.state };
  return continueAsNew<typeof datasetItemWorkflow>({ ...input, item: control.item });
}

const timeNow = (): string => new Date().toISOString();

/** Waits for a decision that moves the item, or parks it when its time is over. */
async function waitAt(control: ItemControl, gate: Gate, timeoutMs: number | null): Promise<void> {
  await control.keep();
  await control.reportWaiting();
  const isHere = (): boolean => control.item.gate?.revision === gate.revision;
  const isMoved = (): boolean => !isHere() || control.isFull;
  // What is parked waits without limit.
  if (timeoutMs === null || gate.parked !== null) return condition(isMoved);
  const left = Date.parse(gate.openedAt) + timeoutMs - Date.now();
  if (await condition(isMoved, Math.max(1, left))) return;
  // Who is deciding at this moment was in time.
  await control.deciding.run(async () => {
    if (!isHere()) return;
    control.change(gateTimedOut(control.item, timeNow()));
    await control.keep();
  });
}

/** Has a model make the next part. */
async function makeStep(control: ItemControl, input: DatasetItemInput): Promise<void> {
  try {
    const end = await askModel(control, input);
    if (end === null) return;
    if (end.kind !== 'deferred') control.change(afterStep(control.item, end, timeNow()));
    else parkFailed(control, end.message);
  } catch (error) {
    const failed = failedActivity(error);
    if (failed === null) throw error;
    parkFailed(control, failed.message);
  }
}

function parkFailed(control: ItemControl, failure: string): void {
  const message = preview(failure, 300);
  const parked = park(control.item, { reason: 'model-failed', message, at: timeNow() });
  // A reply that was stored all the same belongs to this call, and not to what is asked next.
  control.change({ ...parked, calls: parked.calls + 1 });
}

/**
 * Tries until the call is made, waiting as often as it is deferred. Null if this history is to end; the last deferral if
 * deferrals of this call alone have used up its attempts.
 */
async function askModel(
  control: ItemControl,
  input: DatasetItemInput,
): Promise<StepEnd | Deferred | null> {
  for (let before = noAttempts; ;) {
    const made = await orDeferral((attempts) => callOnce(control, input, attempts), before);
    if (made.kind !== 'deferred') return made;
    before = made.attempts ?? noAttempts;
    if (before.failed >= input.modelAttempts) return made;
    // What a person has to mend, such as a key or a budget, is waited for without trying.
    const isMending = made.reason === 'outage' && !isTransient(made.failure ?? 'Unknown');
    await untilWoken(control, made, isMending ? null : made.retryAfterMs);
    if (control.isFull) return null;
  }
}

function callOnce(
  control: ItemControl,
  input: DatasetItemInput,
  before: CallAttempts,
): Promise<StepEnd | Deferral> {
  const { id, step, calls, versions, remark, failed } = control.item;
  if (step === null) throw new Error(`item ${id} has no step`);
  return callWithRetries(
    input,
    ({ makePart }, ...attempts) =>
      makePart.executeWithOptions({ summary: step }, [
        {
          dataset: input.dataset,
          ...{ item: id, step, remark },
          call: calls + 1,
          version: versions.length + 1,
          versions: versionsInUse(control.item),
          failures: failed.messages,
        },
        ...attempts,
      ]),
    before,
  );
}

async function untilWoken(
  control: ItemControl,
  { message, reason, need, failure }: Deferral,
  waitMs: number | null,
): Promise<void> {
  const isNews = waitMs === null || failure !== undefined;
  control.sleep();
  if (isNews) {
    const { id: item } = control.item;
    await control.report({
      kind: 'held',
      held: { item, reason, message: preview(message, 300), need: need ?? null },
    });
  }
  const goesOn = (): boolean => control.isWoken || control.isFull;
  if (waitMs === null) await condition(goesOn);
  else await condition(goesOn, Math.max(1, waitMs));
}
