import { noAmount } from '../../domain/budget/amount.js';
import type { EnrichmentId } from '../../domain/enrichment/job.js';
import type { EnrichmentResult } from '../../domain/enrichment/totals.js';
import type { RunId, StoreName } from '../../domain/ids.js';
import type { JudgingId } from '../../domain/scoring/judging/judging-job.js';
import type { CallsProgress } from '../../domain/scoring/open-calls.js';
import type { ReviewId } from '../../domain/scoring/review/panel.js';
import { forAnHour, forMinutes, queued } from '../scheduling.js';
import { buildStore } from '../stores/ingest-papers.js';
import { makeBatchedCalls } from './batched-calls.js';
import { makeOpenCalls, type CallsInput, type CallsJob } from './open-calls.js';

const { enrichItems, judgeCases, reviewPanels } = queued('1 hour', forAnHour);
const { findOpenJudgements, findOpenReviews, writeReview } = queued('30 minutes', forMinutes);
const { findOpenItems, openEnrichment, countEnrichment } = queued('1 hour', forMinutes);

const makeCalls = (input: CallsInput, job: CallsJob): Promise<CallsProgress> =>
  input.batches ? makeBatchedCalls(input, job, input.batches) : makeOpenCalls(input, job);

export interface JudgeAnswersInput extends CallsInput {
  readonly judging: JudgingId;
}

/** Has judges score stored answers, outside of a run. */
export async function judgeAnswersWorkflow(input: JudgeAnswersInput): Promise<CallsProgress> {
  const { judging } = input;
  return makeCalls(input, {
    names: ['answer', 'judge'],
    takeAnswers: (calls) => judgeCases({ judging, ...calls }),
    spentBefore: () => Promise.resolve(noAmount),
    find: (from) => findOpenJudgements({ judging, from }),
    make: ({ judgeCase }, options, call, ...attempts) =>
      judgeCase.executeWithOptions(options, [{ judging, ...call }, ...attempts]),
  });
}

export interface ReviewAnswersInput extends CallsInput {
  readonly run: RunId;
  readonly review: ReviewId;
}

/**
 * Has reviewers and meta-reviewers judge the answers of a run part by part, and writes their panels. The budget holds for the
 * whole review: what earlier workflows of the same review have spent counts.
 */
export async function reviewAnswersWorkflow(input: ReviewAnswersInput): Promise<CallsProgress> {
  const { run, review } = input;
  const progress = await makeCalls(input, {
    names: ['panel', 'member'],
    takeAnswers: (calls) => reviewPanels({ run, review, ...calls }),
    spentBefore: () => writeReview({ run, review }),
    find: (from) => findOpenReviews({ run, review, from }),
    make: ({ reviewPanel }, options, call, ...attempts) =>
      reviewPanel.executeWithOptions(options, [{ run, review, ...call }, ...attempts]),
  });
  await writeReview({ run, review });
  return progress;
}

export interface EnrichPapersInput extends CallsInput {
  readonly store: StoreName;
  readonly job: EnrichmentId;
  /** Of the store's texts. */
  readonly embedder: string;
}

/**
 * Asks models about the papers of a store, and builds its next generation with what they have said, also where the budget or
 * failures stopped the calls. The budget holds for all replies about these papers: what earlier workflows have spent counts.
 */
export async function enrichPapersWorkflow(input: EnrichPapersInput): Promise<EnrichmentResult> {
  const { store, job, embedder } = input;
  const progress = await makeCalls(input, {
    names: ['paper', 'item'],
    takeAnswers: (calls) => enrichItems({ store, job, ...calls }),
    spentBefore: () => openEnrichment({ store, job }),
    find: (from) => findOpenItems({ store, job, from }),
    make: ({ enrichItem }, options, call, ...attempts) =>
      enrichItem.executeWithOptions(options, [{ store, job, ...call }, ...attempts]),
  });
  await buildStore({ store, ingestion: null, embedder, ifChanged: true });
  return { progress, totals: await countEnrichment({ store, job }) };
}
