import { hearJudge, type Case } from '../domain/judging/hear-judge.js';
import { judgeReplySchema, type JudgeReply } from '../domain/judging/judge-reply.js';
import { judgeRequest, requestKey } from '../domain/judging/judge-request.js';
import type { JudgeQuestion } from '../domain/judging/judge-question.js';
import type { ModelConfig } from '../domain/models/model-config.js';
import type { CallSoFar } from '../domain/questions/call-so-far.js';
import type { Deferral } from '../domain/questions/deferral.js';
import { storingPatienceMs } from '../domain/questions/storing-patience.js';
import type { Finding } from '../domain/scoring/finding.js';
import { callModel, type Reserve } from './call-model.js';
import { tryCall, type CallTry } from './call-try.js';
import { storePaidReply } from './paid-reply.js';
import type { ClockPort } from './ports/clock.js';
import type { ModelPort, ModelRequest } from './ports/model.js';

export interface AskJudgePorts {
  readonly model: ModelPort;
  readonly clock: ClockPort;
  /** Of one attempt, while a reply cannot be stored. @defaultValue storingPatienceMs */
  readonly patienceMs?: number;
}

/** An answer before one of its judges. */
export interface Bench {
  readonly case: Case;
  readonly judge: ModelConfig;
  readonly tries: number;
  /** What is stored, of any judges. */
  readonly replies: readonly JudgeReply[];
  /** What judges said of the same in a run that is repeated: they are not asked again. @defaultValue none */
  readonly recorded?: readonly JudgeReply[];
  readonly save: (reply: JudgeReply) => Promise<JudgeReply>;
  readonly reserve: Reserve;
  /** What was done for the call before. */
  readonly soFar: CallSoFar;
  readonly asFor?: Pick<ModelRequest, 'run' | 'concurrency'>;
}

export interface JudgeSpoke {
  readonly kind: 'spoke';
  /** Null where nothing had to be asked. */
  readonly reply: JudgeReply | null;
  /** What all that it said comes to. */
  readonly finding: Finding;
}

/**
 * One call of a judge about an answer, or none where its stored replies settle the verdict. Replies are stored before
 * this returns, so what was paid for is never paid for again, readable or not.
 */
export async function askJudge(ports: AskJudgePorts, bench: Bench): Promise<JudgeSpoke | Deferral> {
  const { replies, save, judge, tries, soFar } = bench;
  const { finding } = hearJudge(bench.case, judge, tries, replies);
  if (finding.kind !== 'open') return { kind: 'spoke', reply: null, finding };
  const { question } = finding;
  const parse = (paid: unknown): JudgeReply | undefined => judgeReplySchema.safeParse(paid).data;
  return tryCall(soFar, parse, async (attempt) => {
    const record =
      attempt.paid ?? saidBefore(bench, question) ?? (await call(ports, bench, question, attempt));
    if ('kind' in record) return record;
    const { patienceMs = storingPatienceMs } = ports;
    const reply = await storePaidReply(record, save, patienceMs, attempt.keep);
    const heard = hearJudge(bench.case, judge, tries, [...replies, reply]);
    return { kind: 'spoke', reply, finding: heard.finding };
  });
}

/** At no cost, as if from the cache. */
function saidBefore(
  { judge, recorded = [] }: Bench,
  question: JudgeQuestion,
): JudgeReply | undefined {
  const key = requestKey(judgeRequest(judge, question));
  const reply = recorded.find(
    ({ request, part, number }) =>
      request === key && part === question.part && number === question.number,
  );
  return reply && { ...reply, costUsd: 0, cacheHit: true, retries: 0 };
}

async function call(
  { model, clock }: AskJudgePorts,
  { judge, reserve, asFor }: Bench,
  question: JudgeQuestion,
  attempt: CallTry<JudgeReply>,
): Promise<JudgeReply | Deferral> {
  const startedAt = clock.now();
  const request = { ...judgeRequest(judge, question), ...asFor };
  const called = await callModel(model, reserve, request, judge.price, attempt);
  if (called.kind === 'deferred') return called;
  const { reply, costUsd, charged } = called;
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
    ...(charged && { charged }),
    cacheHit: reply.cacheHit ?? false,
    retries: attempt.retries,
    startedAt,
    endedAt: clock.now(),
  };
}
