import { continueAsNew } from '@temporalio/workflow';
import type { RunId } from '../../domain/ids.js';
import type { CallsProgress } from '../../domain/scoring/open-calls.js';
import type { ReviewId } from '../../domain/scoring/review/review-config.js';
import { makeOpenCalls, type CallsInput } from './open-calls.js';
import { forMinutes, queued } from '../scheduling.js';

const { findOpenReviews, writeReview } = queued('30 minutes', forMinutes);

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
  const { kind, progress } = await makeOpenCalls(input, {
    cases: 'panels',
    spentBefore: () => writeReview({ run, review }),
    find: (from) => findOpenReviews({ run, review, from }),
    make: ({ reviewPanel }, { index, member, key }, ...attempts) => {
      const summary = `panel ${index + 1}, member ${member + 1}`;
      return reviewPanel.executeWithOptions({ summary }, [
        { run, review, index, member, key },
        ...attempts,
      ]);
    },
  });
  if (kind === 'ended') {
    await writeReview({ run, review });
    return progress;
  }
  return continueAsNew<typeof reviewAnswersWorkflow>({ ...input, progress });
}
