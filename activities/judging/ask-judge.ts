import { unpaid } from '../../domain/agent/turn-record.js';
import { sizeOf } from '../../domain/budget/call-size.js';
import type { CallAttempts } from '../../domain/models/call-attempts.js';
import type { ModelConfig } from '../../domain/models/model-settings.js';
import type { Deferral } from '../../domain/runs/question-ref.js';
import {
  judgeReplySchema,
  judgeRequest,
  requestKey,
  type JudgeQuestion,
  type JudgeReply,
  type JudgeRequest,
} from '../../domain/scoring/judging/judge-request.js';
import { readJudgeReplies, type Case } from '../../domain/scoring/judging/judged-score.js';
import type { JudgingRules } from '../../domain/scoring/judging/judging-config.js';
import type { OpenCall } from '../../domain/scoring/open-calls.js';
import type { Finding } from '../../domain/scoring/scorer-options.js';
import type { ClockPort } from '../ports/clock.js';
import type { ModelPort, ModelRequest } from '../ports/model.js';
import {
  attemptCall,
  paidReply,
  readyCall,
  type CallAttempt,
  type ReadyCall,
} from '../questions/call-attempt.js';

export interface AskJudgePorts {
  readonly model: ModelPort;
  readonly clock: ClockPort;
  /** How long one attempt keeps trying to store a reply. @defaultValue storeReplyForMs */
  readonly storeForMs?: number;
}

/** An answer, and the judge to be asked about it. */
interface JudgeInput {
  readonly case: Case;
  readonly judge: ModelConfig;
  readonly rules: JudgingRules;
  /** The stored replies of all judges. */
  readonly replies: readonly JudgeReply[];
  /** The judges' replies in the run that is replayed: they are used instead of a call. @defaultValue none */
  readonly recorded?: readonly JudgeReply[];
  readonly save: (reply: JudgeReply) => Promise<JudgeReply>;
  /** The attempts of earlier activities of this call. */
  readonly before: CallAttempts | undefined;
  /** The run that pays; absent if the caller has reserved what the call may cost. */
  readonly payer?: Pick<ModelRequest, 'run' | 'capped' | 'concurrency' | 'warmFirst' | 'batched'>;
  /** As of PaidCall. */
  readonly isOneOfMany?: boolean;
}

interface JudgeReplied {
  readonly kind: 'replied';
  /** Null if no call was needed. */
  readonly reply: JudgeReply | null;
  /** What all replies of this judge amount to. */
  readonly finding: Finding;
}

/**
 * One call of a judge about an answer, or none if its stored replies settle the verdict. The reply is stored before this
 * returns, whether or not it can be parsed, so that no call is paid for twice.
 */
export async function askJudge(
  ports: AskJudgePorts,
  input: JudgeInput,
): Promise<JudgeReplied | Deferral> {
  const { replies, save, judge, rules, before } = input;
  const { finding } = readJudgeReplies(input.case, judge, rules, replies);
  if (finding.kind !== 'open') return { kind: 'replied', reply: null, finding };
  const { question } = finding;
  const reply = await attemptCall<JudgeReply, never>({
    before,
    parse: (paid) => judgeReplySchema.safeParse(paid).data,
    prepare: (attempt) => {
      const recorded = recordedReply(input, question);
      return Promise.resolve(
        recorded === undefined
          ? readyReply(ports, replyTo(judge, question), attempt, input.payer)
          : readyCall(
              () => Promise.resolve(recorded),
              (reply) => reply,
            ),
      );
    },
    save,
    storeForMs: ports.storeForMs,
    isOneOfMany: input.isOneOfMany,
  });
  if ('kind' in reply) return reply;
  const after = readJudgeReplies(input.case, judge, rules, [...replies, reply]);
  return { kind: 'replied', reply, finding: after.finding };
}

/** The reply to the same question in the run that is replayed, at no cost. */
function recordedReply(
  { judge, recorded = [] }: JudgeInput,
  question: JudgeQuestion,
): JudgeReply | undefined {
  const key = requestKey(judgeRequest(judge, question));
  const reply = recorded.find(
    ({ request, part, number }) =>
      request === key && part === question.part && number === question.number,
  );
  return reply && unpaid(reply);
}

/** A request to a judge or a reviewer, and the names under which its reply is stored. */
interface ReplyRequest extends Pick<JudgeReply, 'part' | 'number'> {
  readonly request: JudgeRequest;
  readonly price: ModelConfig['price'];
  readonly key: string;
}

function replyTo(judge: ModelConfig, { part, number, ...question }: JudgeQuestion): ReplyRequest {
  const request = judgeRequest(judge, { part, number, ...question });
  return { request, price: judge.price, key: requestKey(request), part, number };
}

/** A request that is open, as a job knows it. */
export function openRequest(
  judge: ModelConfig,
  question: JudgeQuestion,
): Pick<OpenCall, 'key' | 'size'> {
  const { request, price, key } = replyTo(judge, question);
  return { key, size: sizeOf({ ...request, price }) };
}

/** One call. @param payer - the run that pays; absent if the caller has reserved what the call may cost */
export function readyReply(
  { model, clock }: AskJudgePorts,
  { request: asked, price, key, part, number }: ReplyRequest,
  attempt: CallAttempt,
  payer?: JudgeInput['payer'],
): ReadyCall<JudgeReply> {
  const startedAt = clock.now();
  const request = { ...asked, price, ...payer };
  return readyCall(
    () => model.complete(request, attempt.signal, attempt.report),
    (reply) => ({
      request: key,
      part,
      number,
      ...paidReply(request, reply, attempt),
      ...(reply.reasoning !== undefined && { reasoning: reply.reasoning }),
      startedAt,
      endedAt: clock.now(),
    }),
  );
}
