import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { LeaseRequest, LeaseSummary } from '../domain/budget/ledger.js';
import type { SampleKey } from '../domain/ids.js';
import type { JudgingProgress } from '../domain/scoring/judging/judging-job.js';
import type { AccountReport, AccountShare } from '../domain/rate-limits/account-report.js';
import type { AccountSummary } from '../domain/rate-limits/account-summary.js';
import type { Outcome } from '../domain/agent/question-result.js';
import type { RunProgress, RunSummary } from '../domain/runs/run-progress.js';
import type { WaitingQuestion } from '../domain/runs/run-state.js';
import type { EndedQuestion } from '../domain/runs/run-totals.js';
import type { Tuning } from '../domain/runs/tuning.js';

/** Names under which clients start workflows. */
export const workflowNames = {
  runDataset: 'runDatasetWorkflow',
  answerQuestion: 'answerQuestionWorkflow',
  ingestPapers: 'ingestPapersWorkflow',
  providerAccount: 'providerAccountWorkflow',
  judgeAnswers: 'judgeAnswersWorkflow',
} as const;

/** Sent by a question to its run when it has ended and its result would not reach it. Idempotent by key. */
export const questionEndedSignal = defineSignal<[QuestionReport]>('questionEnded');

export interface QuestionReport extends SampleKey {
  readonly ended: EndedQuestion;
}

/** Sent by a run to questions whose result it will not see: they are to tell it themselves. */
export const reportEndSignal = defineSignal('reportEnd');

/** Sent by a question to its run when it waits for more than its turn, and when it goes on by itself. */
export const questionWaitsSignal = defineSignal<[WaitingQuestion]>('questionWaits');
export const questionGoesOnSignal = defineSignal<[SampleKey]>('questionGoesOn');

/** Sent by a run to its questions. All take effect between two turns; `now` gives up the call under way as well. */
export const pauseQuestionSignal = defineSignal<[{ readonly now: boolean }]>('pauseQuestion');
export const resumeQuestionSignal = defineSignal('resumeQuestion');
/** What it waits for may be there now; a pause stands. */
export const lookAgainSignal = defineSignal('lookAgain');
export const stopQuestionSignal = defineSignal<[Outcome]>('stopQuestion');

/**
 * Steering of a run, by clients, the Temporal UI and `temporal workflow update execute` alike. Each is refused with a
 * sentence where it makes no sense, and answers with where the run is afterwards.
 */
export const pauseRunUpdate = defineUpdate<RunSummary, [Pausing]>('pause');
export const resumeRunUpdate = defineUpdate<RunSummary>('resume');
export const tuneRunUpdate = defineUpdate<RunSummary, [Tuning]>('tune');
export const skipQuestionUpdate = defineUpdate<RunSummary, [SampleKey]>('skip');
export const retryQuestionsUpdate = defineUpdate<RunSummary, [Retrying]>('retry');

/** May be left out as a whole. */
export interface Pausing {
  /** Give up the calls under way as well. @defaultValue false */
  readonly now?: boolean;
}

export interface Retrying {
  readonly questions: readonly SampleKey[];
  /** Ask all turns anew, instead of going on after those that are stored. @defaultValue false */
  readonly anew?: boolean;
}

/** The type of the failure by which a run refuses what comes too late for it. */
export const runIsEnding = 'RunIsEnding';

/**
 * Sent by workers every few seconds, and answered by a query: see `domain/budget/ledger.ts`. Not by an update, since one
 * that comes while a worker is killed may be replayed out of its order, and the workflow then stands still.
 */
export const requestLeaseSignal = defineSignal<[LeaseRequest]>('requestLease');
/** Null while the run is being opened. */
export const leaseQuery = defineQuery<LeaseSummary | null, [lease: string]>('lease');

/** The same for provider accounts: a worker signals its report, and a query answers: see `domain/rate-limits/account-state.ts`. */
export const accountReportSignal = defineSignal<[AccountReport]>('accountReport');
/** Null for a worker that has not reported. */
export const accountShareQuery = defineQuery<AccountShare | null, [worker: string]>('accountShare');

/** What is known of a provider account. */
export const accountQuery = defineQuery<AccountSummary>('account');

/** How far answers are judged that no run judges. */
export const judgingQuery = defineQuery<JudgingState>('judging');

export interface JudgingState extends JudgingProgress {
  readonly cases: number;
  /** What a judge is waited for; null where none is. */
  readonly waits: string | null;
}

/** Where a run is. Answers for running and closed runs alike, as long as a worker is there. */
export const progressQuery = defineQuery<RunProgress>('progress');
