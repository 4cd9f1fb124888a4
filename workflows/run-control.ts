import {
  CancellationScope,
  condition,
  setCurrentDetails,
  upsertSearchAttributes,
  workflowInfo,
  type SignalDefinition,
} from '@temporalio/workflow';
import type { Ledger } from '../domain/budget/ledger.js';
import { questionsPath, questionWorkflowId, type RunId, type SampleKey } from '../domain/ids.js';
import type { Sample } from '../domain/runs/dataset.js';
import { runAttribute, runSummary, type RunSummary } from '../domain/runs/run-progress.js';
import { heldBy, recordEnded, type RunState } from '../domain/runs/run-state.js';
import type { EndedQuestion } from '../domain/runs/run-totals.js';
import { runDetails } from '../domain/runs/workflow-details.js';
import type { LedgerKeeper } from './ledger-keeper.js';
import { searchAttribute, type QuestionReport } from './messages.js';
import { Mutex } from './mutex.js';
import { cancelWorkflow, homeHere, signalWorkflow } from './signals.js';

/** The workflow of a run in one history: its state, and what the parts of the workflow know of each other. */
export class RunControl implements LedgerKeeper {
  /** Held by whatever changes the published results. */
  readonly publishing = new Mutex();
  /** No question is started, or waited for, in this history any more. */
  isOver = false;
  /** All questions have ended, and the last figures are being written. */
  isClosing = false;
  /** Whether the run's files have been read, so that the run can be steered. */
  isOpened = false;
  #state: RunState;
  readonly #scope = CancellationScope.current();
  /** Questions whose start is not acknowledged yet. */
  readonly #starting = new Set<string>();
  /** Questions that must not be started from a page that was listed before. */
  readonly #excluded = new Set<string>();
  /** The askings that this history has made possible: a page that was listed before does not know of them. */
  readonly #askings = new Map<string, number>();

  /** @param concurrency - questions in flight, where the run was not tuned */
  constructor(
    readonly run: RunId,
    state: RunState,
    private readonly startConcurrency: number,
    readonly countSpent: LedgerKeeper['countSpent'],
  ) {
    this.#state = state;
  }

  get state(): RunState {
    return this.#state;
  }

  get ledger(): Ledger {
    return this.#state.ledger;
  }

  set ledger(ledger: Ledger) {
    this.change({ ledger });
  }

  change(changes: Partial<RunState>): void {
    this.#state = { ...this.#state, ...changes };
    const { typedSearchAttributes } = workflowInfo();
    const state = searchAttribute('state', runAttribute(this.summary));
    // Each change costs an event of the history.
    if (typedSearchAttributes.get(state.key) !== state.value) upsertSearchAttributes([state]);
    setCurrentDetails(
      runDetails(this.#state, questionsPath(workflowInfo().namespace, homeHere(), this.run)),
    );
  }

  /** Counts a question's end that it has reported, unless it is of an earlier asking. */
  recordReport({ ended, asking, ...key }: QuestionReport): void {
    if (this.isAsking(key, asking)) this.recordEnded(key, ended);
  }

  /** False for an asking that this history has left behind. */
  isAsking(key: SampleKey, asking: number): boolean {
    return asking === (this.#askings.get(this.#id(key)) ?? asking);
  }

  /** Counts a question's end, once. */
  recordEnded(key: SampleKey, end: EndedQuestion): void {
    this.change(recordEnded(this.#state, key, end));
  }

  get concurrency(): number {
    return this.#state.concurrency ?? this.startConcurrency;
  }

  get summary(): RunSummary {
    return runSummary(this.#state, this.concurrency);
  }

  /** How many questions may be started now. */
  get room(): number {
    if (heldBy(this.#state) !== null) return 0;
    return Math.max(0, this.concurrency - this.#state.inFlight.length);
  }

  /** Whether every question in flight waits and no other is going to be started. */
  get isAllWaiting(): boolean {
    const { waiting, inFlight, offset, samples, reopened } = this.#state;
    const areStarted = this.room === 0 || (offset >= samples && reopened.length === 0);
    return areStarted && waiting.length === inFlight.length;
  }

  get isCancelled(): boolean {
    return this.#scope.consideredCancelled;
  }

  /** Rejects with the run's cancellation. */
  get cancelled(): Promise<never> {
    return this.#scope.cancelRequested;
  }

  /** Whether this history starts no more questions: the next one does, or the run ends. */
  get isStopping(): boolean {
    return (
      this.isCancelled || workflowInfo().continueAsNewSuggested || this.#state.stopping !== null
    );
  }

  /** Whether the run ends, so that steering it comes too late. */
  get isEnding(): boolean {
    return this.isClosing || this.#state.stopping !== null || this.isCancelled;
  }

  get isUnfinished(): boolean {
    const { offset, samples, inFlight, reopened, stopping } = this.#state;
    return inFlight.length > 0 || (stopping === null && (offset < samples || reopened.length > 0));
  }

  untilOpened(): Promise<void> {
    return condition(() => this.isOpened);
  }

  /** Waits until every question in flight can be signalled. */
  untilStarted(): Promise<void> {
    return condition(() => this.#starting.size === 0);
  }

  isStarting(key: SampleKey): boolean {
    return this.#starting.has(this.#id(key));
  }

  /** Does the work of starting questions, during which they can neither be signalled nor be lost. */
  async starting(keys: readonly SampleKey[], work: () => Promise<void>): Promise<void> {
    for (const key of keys) this.#starting.add(this.#id(key));
    try {
      await work();
    } finally {
      for (const key of keys) this.#starting.delete(this.#id(key));
    }
  }

  /** Keeps this history from starting a question. False where it was excluded already. */
  exclude(key: SampleKey): boolean {
    return this.#excluded.size < this.#excluded.add(this.#id(key)).size;
  }

  include(key: SampleKey): void {
    this.#excluded.delete(this.#id(key));
  }

  /** Lets this history start a question again. @param asking - the one that begins */
  reopen(key: SampleKey, asking: number): void {
    this.include(key);
    this.#askings.set(this.#id(key), asking);
  }

  /** The sample with its current asking. */
  current(sample: Sample): Sample {
    const asking = this.#askings.get(this.#id(sample));
    return asking === undefined ? sample : { ...sample, asking };
  }

  isExcluded(key: SampleKey): boolean {
    return this.#excluded.has(this.#id(key));
  }

  /** Signals an open question. */
  async signal<Args extends unknown[]>(
    key: SampleKey,
    signal: SignalDefinition<Args>,
    ...args: Args
  ): Promise<void> {
    await signalWorkflow(this.#id(key), signal, ...args);
  }

  /** Asks an open question to end as cancelled. */
  async cancel(key: SampleKey): Promise<void> {
    await cancelWorkflow(this.#id(key));
  }

  #id(key: SampleKey): string {
    return questionWorkflowId(homeHere(), this.run, key);
  }
}
