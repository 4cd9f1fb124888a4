import type { CallAttempts } from '../../domain/models/call-attempts.js';
import type { ModelConfig } from '../../domain/models/model-settings.js';
import type { Deferral } from '../../domain/runs/question-ref.js';
import { costOfReply } from '../../domain/runs/spent-amount.js';
import type { JudgeQuestion } from '../../domain/scoring/judging/judge-request.js';
import {
  judgeReplySchema,
  judgeRequest,
  requestKey,
  type JudgeReply,
} from '../../domain/scoring/judging/judge-request.js';
import { readJudgeReplies, type Case } from '../../domain/scoring/judging/judged-score.js';
import type { Finding } from '../../domain/scoring/scorer-options.js';
import type { ClockPort } from '../ports/clock.js';
import type { ModelPort, ModelRequest } from '../ports/model.js';
import { attemptCall, type CallAttempt } from '../questions/call-attempt.js';

export interface AskJudgePorts {
  readonly model: ModelPort;
  readonly clock: ClockPort;
  /** How long one attempt keeps trying to store a reply. @defaultValue storeReplyForMs */
  readonly storeForMs?: number;
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
  /** What the attempts of earlier rounds came to. */
  readonly before: CallAttempts | undefined;
  /** Who pays; absent where the caller has reserved what the call may cost. */
  readonly payer?: Pick<ModelRequest, 'run' | 'capped' | 'concurrency'>;
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
  const { replies, save, judge, tries, before } = bench;
  const { finding } = readJudgeReplies(bench.case, judge, tries, replies);
  if (finding.kind !== 'open') return { kind: 'spoke', reply: null, finding };
  const { question } = finding;
  const reply = await attemptCall<JudgeReply, never>({
    before,
    parse: (paid) => judgeReplySchema.safeParse(paid).data,
    ask: async (attempt) =>
      saidBefore(bench, question) ?? (await call(ports, bench, question, attempt)),
    save,
    storeForMs: ports.storeForMs,
  });
  if ('kind' in reply) return reply;
  const heard = readJudgeReplies(bench.case, judge, tries, [...replies, reply]);
  return { kind: 'spoke', reply, finding: heard.finding };
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
  { judge, payer }: Bench,
  question: JudgeQuestion,
  attempt: CallAttempt,
): Promise<JudgeReply> {
  const startedAt = clock.now();
  const request = { ...judgeRequest(judge, question), price: judge.price, ...payer };
  const reply = await model.complete(request, attempt.signal, attempt.report);
  return {
    request: requestKey(request),
    part: question.part,
    number: question.number,
    raw: reply.content,
    ...(reply.reasoning !== undefined && { reasoning: reply.reasoning }),
    cutOff: reply.finishReason === 'length',
    model: reply.model,
    tokens: reply.tokens && { reasoning: 0, ...reply.tokens },
    ...costOfReply(request, reply),
    cacheHit: reply.cacheHit ?? false,
    retries: attempt.retries,
    startedAt,
    endedAt: clock.now(),
  };
}
