import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { SampleKey } from '../domain/ids.js';
import type { EndedQuestion, RunTotals } from '../domain/runs/run-totals.js';

/** Names under which clients start workflows. */
export const workflowNames = {
  runDataset: 'runDatasetWorkflow',
  answerQuestion: 'answerQuestionWorkflow',
  ingestPapers: 'ingestPapersWorkflow',
} as const;

/** Sent by a question to its run when it has ended. Idempotent by key. */
export const questionEndedSignal = defineSignal<[QuestionReport]>('questionEnded');

export interface QuestionReport extends SampleKey {
  readonly ended: EndedQuestion;
}

/** Where a run is. Answers for running and closed runs alike, as long as a worker is there. */
export const progressQuery = defineQuery<RunProgress>('progress');

export interface RunProgress {
  readonly samples: number;
  readonly totals: RunTotals;
  readonly inFlight: readonly SampleKey[];
}
