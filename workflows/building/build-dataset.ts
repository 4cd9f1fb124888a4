import {
  ActivityFailure,
  allHandlersFinished,
  condition,
  continueAsNew,
  isCancellation,
  log,
  ParentClosePolicy,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  startChild,
  workflowInfo,
  WorkflowIdReusePolicy,
  type ChildWorkflowHandle,
  getExternalWorkflowHandle,
} from '@temporalio/workflow';
import { ApplicationFailure, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { Activities } from '../../activities/index.js';
import type { Cap } from '../../domain/budget/amount.js';
import {
  expireLeases,
  grantLease,
  leaseSummary,
  needsRecount,
  openLedger,
  recordRecount,
} from '../../domain/budget/ledger.js';
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
import { heartbeatTimeout } from '../../domain/worker-timeouts.js';
import {
  buildQuery,
  itemReportSignal,
  leaseQuery,
  pauseBuildUpdate,
  requestLeaseSignal,
  searchAttribute,
  tuneBuildUpdate,
  wakeItemSignal,
} from '../messages.js';
import { homeHere } from '../naming.js';
import { datasetItemWorkflow, type DatasetItemInput } from './dataset-item.js';

const { listSeeds, countBuildSpent } = proxyActivities<Activities>({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout,
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 100 },
});

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
      `${started} of ${items} items started, ${drafting.length} being drafted, ${closed} done with, ${held.length} held up`,
    );
  };
  const wake = async (those: readonly { readonly item: ItemId }[]): Promise<void> => {
    change({ held: state.held.filter(({ item }) => !those.some((each) => each.item === item)) });
    await Promise.all(those.map(({ item }) => signalItem(dataset, item)));
  };
  setHandler(requestLeaseSignal, async (request) => {
    await condition(() => isOpened);
    change({ ledger: grantLease(state.ledger, request, Date.now()).ledger });
  });
  setHandler(leaseQuery, (lease) => (isOpened ? leaseSummary(state.ledger, lease) : null));
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
    const ledger = openLedger(input.budget, await countBuildSpent({ dataset }));
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
    needsRecount(state.ledger) ||
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
    const { leases } = state.ledger;
    const earliest = Math.min(...leases.map(({ expiresAt }) => expiresAt));
    const isMoved = (): boolean => isDue() || state.ledger.leases !== leases;
    if (earliest === Infinity) await condition(isMoved);
    else await condition(isMoved, Math.max(1, earliest - Date.now()));
    change({ ledger: expireLeases(state.ledger, Date.now()) });
    if (needsRecount(state.ledger)) await recount();
    const affordable = affordableItems(state);
    if (affordable.length > 0) await wake(affordable);
  }

  async function recount(): Promise<void> {
    const { settled } = state.ledger;
    try {
      const spent = await countBuildSpent({ dataset });
      // A lease that was settled meanwhile may be counted in part: then the replies are counted again.
      if (state.ledger.settled === settled) change({ ledger: recordRecount(state.ledger, spent) });
    } catch (error) {
      if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
      log.warn('the replies of the dataset cannot be counted now', { dataset });
    }
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

async function signalItem(dataset: DatasetName, item: ItemId): Promise<void> {
  try {
    await getExternalWorkflowHandle(itemWorkflowId(homeHere(), dataset, item)).signal(
      wakeItemSignal,
    );
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.info('the item has closed already', { dataset, item });
  }
}

function refuseLimits({ concurrency, budget }: BuildLimits): void {
  const isWhole = concurrency === undefined || (Number.isInteger(concurrency) && concurrency > 0);
  const caps = budget ? [budget.usd, budget.tokens] : [];
  if (isWhole && caps.every((cap) => cap === null || (typeof cap === 'number' && cap > 0))) return;
  throw ApplicationFailure.nonRetryable('limits are numbers above 0', 'Refused');
}
