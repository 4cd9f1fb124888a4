import { continueAsNew } from '@temporalio/workflow';
import { noAmount } from '../../domain/budget/amount.js';
import type { JudgingId } from '../../domain/scoring/judging/judging-job.js';
import type { CallsProgress } from '../../domain/scoring/open-calls.js';
import { makeOpenCalls, type CallsInput } from './open-calls.js';
import { forMinutes, queued } from '../scheduling.js';

const { findOpenJudgements } = queued('5 minutes', forMinutes);

export interface JudgeAnswersInput extends CallsInput {
  readonly judging: JudgingId;
}

/** Has judges score stored answers, outside of a run. */
export async function judgeAnswersWorkflow(input: JudgeAnswersInput): Promise<CallsProgress> {
  const { judging } = input;
  const { kind, progress } = await makeOpenCalls(input, {
    cases: 'answers',
    spentBefore: () => Promise.resolve(noAmount),
    find: (from) => findOpenJudgements({ judging, from }),
    make: async ({ judgeCase }, { index, member, key }, ...attempts) => {
      const summary = `answer ${index + 1}, judge ${member + 1}`;
      const call = await judgeCase.executeWithOptions({ summary }, [
        { judging, index, judge: member, key },
        ...attempts,
      ]);
      if (call.kind === 'deferred') return call;
      const { spent, billed, next } = call;
      const opened = next === null ? [] : [{ index, member, ...next }];
      return { kind: 'made', spent, billed, opened };
    },
  });
  if (kind === 'ended') return progress;
  return continueAsNew<typeof judgeAnswersWorkflow>({ ...input, progress });
}
