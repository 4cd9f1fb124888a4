import { Context } from '@temporalio/activity';
import { hearJudge } from '../domain/judging/hear-judge.js';
import { judgeReplySchema, type JudgeReply } from '../domain/judging/judge-reply.js';
import { judgeRequest, requestKey } from '../domain/judging/judge-request.js';
import type { JudgeQuestion } from '../domain/judging/judge-question.js';
import type { ModelConfig } from '../domain/models/model-config.js';
import type { Deferral } from '../domain/questions/deferral.js';
import type { QuestionRef } from '../domain/questions/question-ref.js';
import { storingPatienceMs } from '../domain/questions/storing-patience.js';
import { callModel, type CallModelPorts } from './call-model.js';
import { reportingFailures } from './failures.js';
import { judgedCase, type JudgedCase } from './judged-case.js';
import { paidReply, storePaidReply } from './paid-reply.js';
import type { ClockPort } from './ports/clock.js';
import type { RunFilesPort } from './ports/run-files.js';

export interface JudgeAnswerPorts extends CallModelPorts {
  readonly runFiles: RunFilesPort;
  readonly clock: ClockPort;
  /** Of one attempt, while a reply cannot be stored. @defaultValue storingPatienceMs */
  readonly patienceMs?: number;
}

export interface JudgeRef extends QuestionRef {
  /** From 0, in the order of the run's judges. */
  readonly judge: number;
}

/** Whether the judge has said all that its verdict takes. */
export interface JudgeCall {
  readonly kind: 'judged';
  readonly settled: boolean;
}

/**
 * One call of a judge about an answer, or none where its stored replies settle the verdict. Replies are stored before the
 * activity completes, so what was paid for is never paid for again, readable or not.
 */
export function createJudgeAnswer({
  model,
  spending,
  runFiles,
  clock,
  patienceMs = storingPatienceMs,
}: JudgeAnswerPorts): (ref: JudgeRef) => Promise<JudgeCall | Deferral> {
  return async function judgeAnswer(ref) {
    return reportingFailures(async () => {
      const found = await judgedCase(runFiles, ref);
      const judge = found?.judging.models[ref.judge];
      if (found === null || judge === undefined) return settled;
      const { tries } = found.judging;
      const { finding } = hearJudge(found.case, judge, tries, found.replies);
      if (finding.kind !== 'open') return settled;
      const record =
        paidReply((details) => judgeReplySchema.safeParse(details).data) ??
        (await ask(ref, found, judge, finding.question));
      if ('kind' in record) return record;
      const stored = await storePaidReply(
        record,
        (reply) => runFiles.saveJudgeReply(ref.run, ref, reply),
        patienceMs,
      );
      const after = hearJudge(found.case, judge, tries, [...found.replies, stored]);
      return { kind: 'judged', settled: after.finding.kind !== 'open' };
    });
  };

  async function ask(
    { run }: JudgeRef,
    { concurrency }: JudgedCase,
    judge: ModelConfig,
    question: JudgeQuestion,
  ): Promise<JudgeReply | Deferral> {
    const startedAt = clock.now();
    const request = {
      ...judgeRequest(judge, question),
      run,
      concurrency: concurrency === 'auto' ? ('auto' as const) : ('fixed' as const),
    };
    const called = await callModel({ model, spending }, run, request, judge.price);
    if (called.kind === 'deferred') return called;
    const { reply, costUsd } = called;
    return {
      request: requestKey(request),
      part: question.part,
      number: question.number,
      raw: reply.content,
      ...(reply.reasoning !== undefined && { reasoning: reply.reasoning }),
      cutOff: reply.finishReason === 'length',
      model: reply.model,
      tokens: reply.tokens && { reasoning: 0, ...reply.tokens },
      costUsd,
      cacheHit: reply.cacheHit ?? false,
      retries: Context.current().info.attempt - 1,
      startedAt,
      endedAt: clock.now(),
    };
  }
}

const settled: JudgeCall = { kind: 'judged', settled: true };
