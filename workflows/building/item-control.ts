import {
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { ItemReport } from '../../domain/building/build-state.js';
import type { Item } from '../../domain/building/item.js';
import { datasetWorkflowId, type DatasetName } from '../../domain/ids.js';
import { itemReportSignal, searchAttribute, wakeItemSignal } from '../messages.js';
import { Mutex } from '../mutex.js';
import { forAWeek, queued } from '../scheduling.js';
import { homeHere, signalWorkflow } from '../signals.js';

// A full disk is mended by a person, and an item has time.
const { keepItem } = queued('5 minutes', forAWeek);

/** An item in one history of its workflow. */
export class ItemControl {
  /** Held by whatever decides about the item. */
  readonly deciding = new Mutex();
  /** Whether it is known what an earlier workflow has left. */
  isOpened = false;
  readonly #writing = new Mutex();
  #item: Item;
  /** `changes` of what the file has. */
  #written = -1;
  #isWoken = false;
  /** Whether the building of the dataset has to hear when the item waits for a person. */
  #isToReport = true;

  constructor(
    readonly dataset: DatasetName,
    item: Item,
  ) {
    this.#item = item;
    setHandler(wakeItemSignal, () => {
      this.#isWoken = true;
    });
  }

  get item(): Item {
    return this.#item;
  }

  change(item: Item): void {
    this.#item = item;
  }

  /** Whether this history is to end. */
  get isFull(): boolean {
    return workflowInfo().continueAsNewSuggested;
  }

  /** Resolves when the file has the item as it is now, and so has the search attribute. */
  async keep(): Promise<void> {
    const { changes } = this.#item;
    await this.#writing.run(async () => {
      if (this.#written >= changes) return;
      const item = this.#item;
      upsertSearchAttributes([searchAttribute('state', item.state)]);
      setCurrentDetails(detailsOf(item));
      await keepItem({ dataset: this.dataset, item });
      this.#written = item.changes;
    });
  }

  /** Tells the building of the dataset that the item waits for a person, where that does not know. */
  async reportWaiting(): Promise<void> {
    if (!this.#isToReport) return;
    this.#isToReport = false;
    await this.report({ kind: 'waits', item: this.#item.id });
  }

  async report(report: ItemReport): Promise<void> {
    if (report.kind === 'held') this.#isToReport = true;
    await signalWorkflow(datasetWorkflowId(homeHere(), this.dataset), itemReportSignal, report);
  }

  /** Forgets that somebody has woken the item: what it waits for next has not been mended yet. */
  sleep(): void {
    this.#isWoken = false;
  }

  get isWoken(): boolean {
    return this.#isWoken;
  }
}

const detailsOf = ({ state, gate, versions, assignments }: Item): string =>
  [
    state,
    ...(gate?.parked ? [`${gate.parked.reason}: ${gate.parked.message}`] : []),
    ...(assignments.at(-1)?.to.length
      ? [`assigned to ${assignments.at(-1)?.to.join(', ') ?? ''}`]
      : []),
    ...versions.slice(-3).map(({ part, preview }) => `${part}: ${preview}`),
  ].join('\n\n');
