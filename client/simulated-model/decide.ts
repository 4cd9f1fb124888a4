import type { ChatRequest } from './chat-request.js';
import { chooseFault } from './choose-fault.js';
import { countTokens, type TokenCount } from './completion.js';
import type { Conversation } from './conversation.js';
import { latencyMsOf } from './latency.js';
import { createReplies, type Said } from './next-reply.js';
import { replyMessage, type ReplyMessage } from './reply-message.js';
import { createRateLimiter } from './rate-limiter.js';
import { simulatedJudgement } from './simulated-judge.js';
import type { Script } from './script.js';
import { seededDraw } from './seeded-draw.js';
import type { FaultName, SimulatorOptions } from './simulator-options.js';
import { wantedTurn } from './wanted-turn.js';

/** What becomes of a request. */
export type Decision =
  | { readonly kind: 'unscripted' }
  | {
      readonly kind: 'rate-limit';
      readonly waitMs: number;
      readonly by: 'requests' | 'tokens';
    }
  | {
      readonly kind: 'answer';
      readonly message: ReplyMessage;
      readonly tokens: TokenCount;
      /** What spoils the answer on its way. */
      readonly fault: FaultName | undefined;
      readonly latencyMs: number;
    };

export interface Decider {
  readonly decide: (
    request: ChatRequest,
    key: string,
    conversation: Conversation,
    nowMs: number,
  ) => Decision;
  readonly headers: (nowMs: number) => Readonly<Record<string, string>>;
}

/** What it says of another's answer, where it is asked for that. */
function asJudge(request: ChatRequest, options: SimulatorOptions): Said | undefined {
  const text = simulatedJudgement(request, options);
  return text === undefined ? undefined : { kind: 'text', text };
}

const failsAlways = (
  { seed, failingQuestions }: SimulatorOptions,
  { question }: Conversation,
): boolean =>
  question !== undefined && seededDraw(seed, 'failing question', question) < failingQuestions;

export function createDecider(options: SimulatorOptions, script: Script, startMs: number): Decider {
  const replyTo = createReplies(script);
  const { requestsPerMinute, tokensPerMinute, ...others } = options;
  const limiter = createRateLimiter({ ...others, requestsPerMinute, tokensPerMinute }, startMs);
  // Of admitted requests only: when a limit bites depends on timing, and must not move the faults.
  const attempts = new Map<string, number>();

  return {
    headers: (nowMs) => (options.limitHeaders === 'all' ? limiter.headers(nowMs) : {}),
    decide: (request, key, conversation, nowMs) => {
      const plan = wantedTurn(request, conversation.prompt);
      const said = replyTo(conversation, plan) ?? asJudge(request, options);
      if (said === undefined) return { kind: 'unscripted' };
      const message = replyMessage(said, plan, key);
      const tokens = countTokens(request, message);
      const admission = limiter.admit(tokens.prompt + tokens.completion, nowMs);
      if (admission.kind === 'refused') return { ...admission, kind: 'rate-limit' };
      const attempt = (attempts.get(key) ?? 0) + 1;
      attempts.set(key, attempt);
      return {
        kind: 'answer',
        message,
        tokens,
        fault: failsAlways(options, conversation) ? '500' : chooseFault(options, key, attempt),
        latencyMs: latencyMsOf(options, key, attempt),
      };
    },
  };
}
