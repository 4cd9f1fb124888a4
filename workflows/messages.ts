import { defineSearchAttributeKey, type SearchAttributePair } from '@temporalio/common';
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { LeaseRequest, LeaseSummary } from '../domain/budget/ledger.js';
import { searchAttributes, type SampleKey } from '../domain/ids.js';
import type { BuildLimits, BuildProgress, ItemReport } from '../domain/building/build-state.js';
import type { Assigning, Decided, Decision, Item } from '../domain/building/item.js';
import type { CallsProgress } from '../domain/scoring/open-calls.js';
import type { AccountReport, AccountShare } from '../domain/rate-limits/account-report.js';
import type { AccountSummary } from '../domain/rate-limits/account-state.js';
import type { Outcome } from '../domain/agent/question-result.js';
import type { RunProgress, RunSummary } from '../domain/runs/run-progress.js';
import type { WaitingQuestion } from '../domain/runs/run-state.js';
import type { EndedQuestion } from '../domain/runs/run-totals.js';
import type { Tuning } from '../domain/runs/run-config.js';

/** Names under which clients start workflows. */
export const workflowNames = {
  runDataset: 'runDatasetWorkflow',
  answerQuestion: 'answerQuestionWorkflow',
  probeModels: 'probeModelsWorkflow',
  askEndpoints: 'askEndpointsWorkflow',
  ingestPapers: 'ingestPapersWorkflow',
  importPapers: 'importPapersWorkflow',
  importDatabase: 'importDatabaseWorkflow',
  checkStore: 'checkStoreWorkflow',
  dropStore: 'dropStoreWorkflow',
  freeStore: 'freeStoreWorkflow',
  enrichPapers: 'enrichPapersWorkflow',
  providerAccount: 'providerAccountWorkflow',
  judgeAnswers: 'judgeAnswersWorkflow',
  reviewAnswers: 'reviewAnswersWorkflow',
  buildDataset: 'buildDatasetWorkflow',
  datasetItem: 'datasetItemWorkflow',
} as const;

/** A value for one of turnwise's search attributes, all of which are keywords. */
export const searchAttribute = (
  name: keyof typeof searchAttributes,
  value: string,
): SearchAttributePair => ({
  key: defineSearchAttributeKey(searchAttributes[name], 'KEYWORD'),
  value,
});

/** From the activity that has stored the end of a question to the question's run. Idempotent by key and asking. */
export const questionEndedSignal = defineSignal<[QuestionReport]>('questionEnded');

export interface QuestionReport extends SampleKey {
  readonly asking: number;
  readonly ended: EndedQuestion;
}

/** From a question to its run: the question's call is deferred, or goes on without having been woken. */
export const questionWaitsSignal = defineSignal<[WaitingQuestion]>('questionWaits');
export const questionGoesOnSignal = defineSignal<[SampleKey]>('questionGoesOn');

/** From a run to its questions. Each takes effect between two turns; `now` also cancels the call in flight. */
export const pauseQuestionSignal = defineSignal<[{ readonly now: boolean }]>('pauseQuestion');
export const resumeQuestionSignal = defineSignal('resumeQuestion');
/** A deferred call may be possible now. A paused question stays paused. */
export const wakeQuestionSignal = defineSignal('wakeQuestion');
export const stopQuestionSignal = defineSignal<[Outcome]>('stopQuestion');

/**
 * Updates that steer a run, from clients, the Temporal UI or `temporal workflow update execute`. An update that makes no
 * sense is refused with a sentence. The others return the run's summary after the change.
 */
export const pauseRunUpdate = defineUpdate<RunSummary, [Pausing]>('pause');
export const resumeRunUpdate = defineUpdate<RunSummary>('resume');
export const tuneRunUpdate = defineUpdate<RunSummary, [Tuning]>('tune');
export const cancelQuestionUpdate = defineUpdate<RunSummary, [SampleKey]>('cancelQuestion');
export const retryQuestionsUpdate = defineUpdate<RunSummary, [Retrying]>('retry');

/** Optional as a whole. */
export interface Pausing {
  /** Also cancel the calls in flight. @defaultValue false */
  readonly now?: boolean;
}

/** Questions that one update may ask to be retried: of more, the keys would not fit into one message of Temporal. */
export const mostRetriedAtOnce = 10_000;

export interface Retrying {
  readonly questions: readonly SampleKey[];
  /** Ask all turns again instead of continuing after the stored ones. @defaultValue false */
  readonly anew?: boolean;
}

/** Type of the failure by which a run that is ending refuses an update. */
export const runIsEnding = 'RunIsEnding';

/**
 * From workers, every few seconds; a query returns the answer (`domain/budget/ledger.ts`). An update would do both, but
 * one that arrives while a worker is killed may be replayed out of order, and its workflow then makes no progress.
 */
export const requestLeaseSignal = defineSignal<[LeaseRequest]>('requestLease');
/** Null while the run is being opened. */
export const leaseQuery = defineQuery<LeaseSummary | null, [lease: string]>('lease');

/** A worker's report to a provider account. A query returns the worker's share (`domain/rate-limits/account-state.ts`). */
export const accountReportSignal = defineSignal<[AccountReport]>('accountReport');
/** Null for a worker that has not reported. */
export const accountShareQuery = defineQuery<AccountShare | null, [worker: string]>('accountShare');

/** What is known of a provider account. */
export const accountQuery = defineQuery<AccountSummary>('account');

/** Progress of a judging job, a review or an enrichment. */
export const callsQuery = defineQuery<CallsState>('calls');

export interface CallsState extends CallsProgress {
  readonly cases: number;
  /** Why a call is deferred; null where none is. */
  readonly waits: string | null;
}

/**
 * A person's decision about an item of a dataset, and who is to decide. They are refused with a sentence where they cannot be
 * taken, and count once however often they are sent. They return when the item's file has them.
 */
export const decideUpdate = defineUpdate<DecisionTaken, [Decision]>('decide');
export const assignUpdate = defineUpdate<Item, [Assigning]>('assign');

export interface DecisionTaken {
  readonly decided: Decided;
  /** The item as it is since, or a later one. */
  readonly item: Item;
}

/** From the building of a dataset to an item: what it waits for may be there now. */
export const wakeItemSignal = defineSignal('wakeItem');
/** From an item to the building of its dataset. */
export const itemReportSignal = defineSignal<[ItemReport]>('itemReport');
/** Changes the limits of the building of a dataset, and wakes the items that are held up. */
export const tuneBuildUpdate = defineUpdate<BuildProgress, [BuildLimits]>('tuneBuild');
/** Holds the building of a dataset, or lets it go on. The dataset's file has to say the same before models are asked again. */
export const pauseBuildUpdate = defineUpdate<BuildProgress, [boolean]>('pauseBuild');
export const buildQuery = defineQuery<BuildProgress>('build');

/** Progress of a run. Running and closed runs answer, as long as a worker is there. */
export const progressQuery = defineQuery<RunProgress>('progress');
