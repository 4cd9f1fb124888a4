import { LRUCache } from 'lru-cache';
import { createHash } from 'node:crypto';
import { actionNames, actionFormatNames, type ActionName } from '../domain/agent/actions/action.js';
import { acceptance } from '../domain/agent/prompts/prompt-texts.js';
import type { ModelPlan } from '../domain/agent/turn-plan.js';
import { probeMessage } from '../domain/runs/probe-requests.js';
import type { ChatRequest } from './chat-request.js';
import { countTokens, replyMessage, type ReplyMessage, type TokenCount } from './completion.js';
import type { Conversation } from './conversation.js';
import { databaseReply } from './database-replies.js';
import { chooseFault, latencyMsOf, seededDraw } from './faults.js';
import { createReplies, type Reply } from './next-reply.js';
import { createRateLimiter, type Refused } from './rate-limiter.js';
import type { Script } from './script.js';
import { simulatedBuilding } from './simulated-building.js';
import { simulatedEnrichment } from './simulated-enrichment.js';
import { simulatedJudgement, simulatedReview } from './simulated-judge.js';
import type { FaultName, SimulatorOptions } from './simulator-options.js';

/** How the endpoint treats a request. */
type Decision =
  | { readonly kind: 'unscripted' }
  | { readonly kind: 'rate-limit'; readonly refused: Refused }
  | {
      readonly kind: 'answer';
      readonly message: ReplyMessage;
      readonly tokens: TokenCount;
      /** The fault that replaces the reply, if any. */
      readonly fault: FaultName | undefined;
      readonly latencyMs: number;
      /** To be called when the reply is sent. */
      readonly replied: () => void;
    };

interface Decider {
  readonly decide: (
    request: ChatRequest,
    key: string,
    conversation: Conversation,
    nowMs: number,
    inBatch?: boolean,
  ) => Decision;
  readonly headers: (nowMs: number) => Readonly<Record<string, string>>;
}

const textReply = (text: string | undefined): Reply | undefined =>
  text === undefined ? undefined : { kind: 'text', text };

/** Whether a run only wants to know that the model answers. No script has a reply for that. */
export const isProbe = ({ lastMessage }: Conversation): boolean => lastMessage === probeMessage;

const failsAlways = (
  { seed, failingQuestions }: SimulatorOptions,
  { question }: Conversation,
): boolean =>
  question !== undefined && seededDraw(seed, 'failing question', question) < failingQuestions;

export function createDecider(options: SimulatorOptions, script: Script, startMs: number): Decider {
  const replyTo = createReplies(script);
  const { requestsPerMinute, tokensPerMinute, ...others } = options;
  const limiter = createRateLimiter({ ...others, requestsPerMinute, tokensPerMinute }, startMs);
  const prefixes = options.prefixCache ? createPrefixCache() : null;
  // Counts admitted requests only: refusals depend on timing, and must not change which requests meet a fault.
  const attempts = new Map<string, number>();

  return {
    headers: (nowMs) => (options.limitHeaders === 'all' ? limiter.headers(nowMs) : {}),
    decide: (request, key, conversation, nowMs, inBatch = false) => {
      const plan = wantedTurn(request, conversation.prompt);
      const reply =
        textReply(
          isProbe(conversation)
            ? 'OK'
            : (databaseReply(request, script) ?? simulatedBuilding(request, script)),
        ) ??
        replyTo(conversation, plan) ??
        textReply(
          simulatedEnrichment(request) ??
            simulatedReview(request, options, script.reviews) ??
            simulatedJudgement(request, options),
        );
      if (reply === undefined) return { kind: 'unscripted' };
      const message = replyMessage(reply, plan, key);
      const tokens = countTokens(request, message, options, prefixes?.read(request));
      const admission = inBatch || limiter.admit(tokens.prompt + tokens.completion, nowMs);
      if (admission !== true && admission.kind === 'refused')
        return { kind: 'rate-limit', refused: admission };
      const attempt = (attempts.get(key) ?? 0) + 1;
      attempts.set(key, attempt);
      return {
        kind: 'answer',
        message,
        tokens,
        fault: failsAlways(options, conversation) ? '500' : chooseFault(options, key, attempt),
        latencyMs: inBatch ? 0 : latencyMsOf(options, key, attempt),
        replied: () => prefixes?.write(request),
      };
    },
  };
}

/**
 * What the model is asked to write, read from the request: from its tools, from the code fence at the end of the prompt, or
 * from the specifications of the actions. Without any of these: any action in Markdown.
 */
export function wantedTurn({ tools }: Pick<ChatRequest, 'tools'>, prompt: string): ModelPlan {
  if (tools?.length) {
    const names = tools.map((tool) => tool.function.name);
    return { kind: 'action', actions: knownAmong(names), format: 'tools', protocol: 'react' };
  }
  if (prompt.includes(acceptance)) return { kind: 'judgement' };
  const fence = lastMatch(prompt, /^```(txt|sql|json)$/gm);
  if (fence === 'txt') return { kind: 'answer' };
  if (fence === 'sql') return { kind: 'sql' };
  const specified = [...prompt.matchAll(/^### Action Type\n(\w+)$/gm)].map(([, name = '']) => name);
  const title = lastMatch(prompt, /^### Syntax and Parameters \((\w+) Format\)$/gm)?.toLowerCase();
  return {
    kind: 'action',
    actions: specified.length === 0 ? actionNames : knownAmong(specified),
    format: actionFormatNames.find((name) => name === title) ?? 'markdown',
    protocol: fence === undefined ? 'react' : 'code_block',
  };
}

const knownAmong = (names: readonly string[]): readonly ActionName[] =>
  actionNames.filter((name) => names.includes(name));

const lastMatch = (text: string, pattern: RegExp): string | undefined =>
  [...text.matchAll(pattern)].at(-1)?.[1];

/** As at OpenAI. */
const shortestTokens = 1024;
const stepTokens = 128;
/** As the simulator counts tokens. */
const stepBytes = 4 * stepTokens;

/** The prefixes of prompts that were replied to. The least recently used ones are forgotten. */
interface PrefixCache {
  /** The tokens of the longest prefix that is known. */
  readonly read: (request: ChatRequest) => number;
  /** Adds the prefixes of a prompt. */
  readonly write: (request: ChatRequest) => void;
}

/** @param mostSteps - usually enough for 1,500 prompts of 8,000 tokens */
export function createPrefixCache(mostSteps = 100_000): PrefixCache {
  const known = new LRUCache<string, true>({ max: mostSteps });
  return {
    read: (request) => {
      const steps = stepsOf(request);
      const missing = steps.findIndex((step) => known.get(step) === undefined);
      const tokens = stepTokens * (missing === -1 ? steps.length : missing);
      return tokens < shortestTokens ? 0 : tokens;
    },
    write: (request) => {
      for (const step of stepsOf(request)) known.set(step, true);
    },
  };
}

/** A hash of each prefix that ends with a step. */
function stepsOf({ model, tools, messages }: ChatRequest): readonly string[] {
  const prompt = Buffer.from(
    [
      model,
      JSON.stringify(tools ?? null),
      ...messages.flatMap(({ role, content, tool_calls: calls, pictures }) => [
        role,
        content,
        JSON.stringify([calls, pictures]),
      ]),
    ].join('\n'),
  );
  const hash = createHash('sha256');
  return Array.from({ length: Math.floor(prompt.length / stepBytes) }, (_, step) => {
    hash.update(prompt.subarray(step * stepBytes, (step + 1) * stepBytes));
    return hash.copy().digest('base64');
  });
}
