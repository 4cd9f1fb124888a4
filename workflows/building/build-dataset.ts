import {
  ActivityFailure,
  allHandlersFinished,
  condition,
  continueAsNew,
  isCancellation,
  log,
  ParentClosePolicy,
  setCurrentDetails,
  setHandler,
  startChild,
  workflowInfo,
  WorkflowIdReusePolicy,
  type ChildWorkflowHandle,
} from '@temporalio/workflow';
import { ApplicationFailure, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { Cap } from '../../domain/budget/amount.js';
import { openLedger } from '../../domain/budget/ledger.js';
import {
  affordableItems,
  buildProgress,
  hasRoom,
  isOver,
  isOverslept,
  openBuild,
  reported,
  without,
  type BuildLimits,
  type BuildProgress,
  type BuildState,
} from '../../domain/building/build-state.js';
import { itemWorkflowId, type DatasetName, type ItemId } from '../../domain/ids.js';
import { grantLeases, takeBackLeases, untilDue, type LedgerKeeper } from '../ledger-keeper.js';
import {
  buildQuery,
  itemReportSignal,
  pauseBuildUpdate,
  searchAttribute,
  tuneBuildUpdate,
  wakeItemSignal,
} from '../messages.js';
import { forAnHour, queued } from '../scheduling.js';
import { homeHere, signalWorkflow } from '../signals.js';
import { datasetItemWorkflow, type DatasetItemInput } from './dataset-item.js';

const { listSeeds, countBuildSpent } = queued('1 hour', forAnHour);

export interface BuildDatasetInput {
  readonly dataset: DatasetName;
  readonly items: number;
  /** Items that are drafted at once. */
  readonly concurrency: number;
  readonly budget: Cap;
  readonly each: Pick<
    DatasetItemInput,
    'modelTimeoutMs' | 'modelAttempts' | 'annotators' | 'gateTimeoutMs'
  >;
  /** Carried from an earlier history. */
  readonly state?: BuildState;
}

/**
 * Starts the items of a dataset, a few at once until each waits for a person, and keeps their budget until all are done with.
 * Items outlive its histories.
 */
export async function buildDatasetWorkflow(input: BuildDatasetInput): Promise<BuildProgress> {
  const { dataset, items } = input;
  let state = input.state ?? openBuild(input.concurrency);
  let isOpened = input.state !== undefined;
  const change = (changes: Partial<BuildState>): void => {
    state = { ...state, ...changes };
    const { drafting, started, closed, held } = state;
    setCurrentDetails(
      `${started} of ${items} items started, ${drafting.length} being drafted, ${closed} done with, ${held.length} held`,
    );
  };
  const wake = async (those: readonly { readonly item: ItemId }[]): Promise<void> => {
    change({ held: state.held.filter(({ item }) => !those.some((each) => each.item === item)) });
    await Promise.all(
      those.map(({ item }) =>
        signalWorkflow(itemWorkflowId(homeHere(), dataset, item), wakeItemSignal),
      ),
    );
  };
  const keeper: LedgerKeeper = {
    get ledger() {
      return state.ledger;
    },
    set ledger(ledger) {
      change({ ledger });
    },
    get isOpened() {
      return isOpened;
    },
    countSpent: () => countBuildSpent({ dataset }),
  };
  grantLeases(keeper);
  setHandler(itemReportSignal, async (report) => {
    change(reported(state, report));
    if (report.kind === 'held' && isOverslept(state, report.held)) await wake([report.held]);
  });
  setHandler(buildQuery, () => buildProgress(state, items));
  setHandler<BuildProgress, [BuildLimits], typeof tuneBuildUpdate>(
    tuneBuildUpdate,
    async ({ budget, concurrency }): Promise<BuildProgress> => {
      await condition(() => isOpened);
      change({
        ...(concurrency !== undefined && { concurrency }),
        ...(budget && { ledger: { ...state.ledger, cap: budget } }),
      });
      await wake(state.held);
      return buildProgress(state, items);
    },
    { validator: refuseLimits },
  );

  setHandler(pauseBuildUpdate, async (isPaused): Promise<BuildProgress> => {
    await condition(() => isOpened);
    change({ isPaused });
    if (!isPaused) await wake(state.held);
    return buildProgress(state, items);
  });

  if (!isOpened) {
    const ledger = openLedger(input.budget, await keeper.countSpent());
    change({ ledger });
    isOpened = true;
  }
  const isFull = (): boolean => workflowInfo().continueAsNewSuggested;
  // Started items are known by their ends as long as this history lasts; after it, by what they report.
  const isDue = (): boolean =>
    isFull() ||
    isOver(state) ||
    hasRoom(state) ||
    (state.next !== null && state.queue.length === 0) ||
    affordableItems(state).length > 0;
  while (!isOver(state) && !isFull()) {
    if (state.next !== null && state.queue.length === 0) await look(state.next);
    else if (hasRoom(state)) await startNext();
    else await keepLedger();
  }
  await condition(allHandlersFinished);
  if (isOver(state)) return buildProgress(state, items);
  return continueAsNew<typeof buildDatasetWorkflow>({ ...input, state });

  async function look(from: number): Promise<void> {
    const found = await listSeeds({ dataset, from });
    const closed = found.items.filter((each) => each.closed).length;
    change({
      next: found.next,
      queue: [...state.queue, ...found.items.flatMap((each) => (each.closed ? [] : [each.item]))],
      started: state.started + closed,
      closed: state.closed + closed,
    });
  }

  async function startNext(): Promise<void> {
    const [item, ...queue] = state.queue;
    if (item === undefined) return;
    change({ queue, drafting: [...state.drafting, item], started: state.started + 1 });
    try {
      const handle = await startItem(input, item);
      handle.result().then(
        () => change(without(state, item)),
        // Its workflow was ended by somebody: it is started again from its file, unless it has been already.
        () => {
          const { queue, started } = state;
          change({ ...without(state, item), queue: [item, ...queue], started: started - 1 });
        },
      );
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      change(without(state, item));
    }
  }

  /** Waits for something to do. Takes back the leases of lost workers, and wakes what can be paid now. */
  async function keepLedger(): Promise<void> {
    await untilDue(keeper, isDue);
    try {
      await takeBackLeases(keeper);
    } catch (error) {
      if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
      log.warn('the replies of the dataset cannot be counted now', { dataset });
      await condition(isDue, '1 minute');
    }
    const affordable = affordableItems(state);
    if (affordable.length > 0) await wake(affordable);
  }
}

const startItem = (
  { dataset, each }: BuildDatasetInput,
  item: ItemId,
): Promise<ChildWorkflowHandle<typeof datasetItemWorkflow>> =>
  startChild(datasetItemWorkflow, {
    workflowId: itemWorkflowId(homeHere(), dataset, item),
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    parentClosePolicy: ParentClosePolicy.ABANDON,
    staticSummary: `item ${item} of dataset ${dataset}`,
    typedSearchAttributes: [searchAttribute('state', 'drafting')],
    args: [{ dataset, id: item, ...each }],
  });

function refuseLimits({ concurrency, budget }: BuildLimits): void {
  const isWhole = concurrency === undefined || (Number.isInteger(concurrency) && concurrency > 0);
  const caps = budget ? [budget.usd, budget.tokens] : [];
  if (isWhole && caps.every((cap) => cap === null || (typeof cap === 'number' && cap > 0))) return;
  throw ApplicationFailure.nonRetryable('limits are numbers above 0', 'Refused');
}
