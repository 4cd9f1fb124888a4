import { parametersOf } from '../domain/agent/actions/bind-action.js';
import { answerText, mainArgument } from '../domain/agent/actions/action.js';
import { assistantMessage } from '../domain/agent/actions/parse-reply.js';
import type { ModelPlan } from '../domain/agent/turn-plan.js';
import { jsonDumps } from '../domain/formats/python/json.js';
import type { ChatRequest } from './chat-request.js';
import type { Reply } from './next-reply.js';
import type { SimulatorOptions } from './simulator-options.js';

export interface TokenCount {
  readonly prompt: number;
  readonly completion: number;
  /** Part of `prompt`: read from the cache. */
  readonly cached: number;
  /** Part of `prompt`: written to the cache. */
  readonly written: number;
}

/** Four bytes of UTF-8 a token: exact enough for costs and limits. A real tokenizer would allow only 200 calls a second. */
export const estimateTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / 4);

const tokensOfMessage = ({ content, tool_calls: calls }: CountedMessage): number =>
  estimateTokens(content ?? '') + tokensOfJson(calls);

type Bill = Pick<SimulatorOptions, 'tokensPerPicture' | 'textTokenRatio' | 'cacheWrites'>;

type CountedMessage = Pick<ReplyMessage, 'content'> & { readonly tool_calls?: unknown };

const tokensOfJson = (value: unknown): number =>
  value === undefined || value === null ? 0 : estimateTokens(JSON.stringify(value));

/**
 * From the second turn on, tools, system message and task count as cached, as with a provider's prefix cache.
 * @param cachedPrefix - the tokens that are in a cache; undefined without one
 */
export function countTokens(
  { messages, tools }: ChatRequest,
  reply: ReplyMessage,
  { tokensPerPicture, textTokenRatio, cacheWrites }: Bill,
  cachedPrefix?: number,
): TokenCount {
  const billed = (textTokens: number): number => Math.ceil(textTokens * textTokenRatio);
  const toolTokens = billed(tokensOfJson(tools));
  const sizes = messages.map(
    (message) =>
      billed(tokensOfMessage(message)) + tokensPerPicture * (message.pictures ?? []).length,
  );
  const sum = (counts: readonly number[]): number => counts.reduce((a, b) => a + b, toolTokens);
  const laterTurn = messages.some(({ role }) => role === 'assistant');
  const prompt = sum(sizes);
  const cached =
    cachedPrefix === undefined
      ? laterTurn
        ? sum(sizes.slice(0, 2))
        : 0
      : Math.min(prompt, billed(cachedPrefix));
  return {
    prompt,
    completion: tokensOfMessage(reply),
    cached,
    written: Math.round((prompt - cached) * cacheWrites),
  };
}

/** The message of a completion in OpenAI's format. */
export interface ReplyMessage {
  readonly content: string | null;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly type: 'function';
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

/**
 * Writes a reply in the form that the request asks for.
 * @param key - of the request; becomes part of the id of a tool call
 */
export function replyMessage(reply: Reply, plan: ModelPlan, key: string): ReplyMessage {
  if (reply.kind === 'text') return { content: reply.text };
  const { thought, action } = reply;
  if (plan.kind !== 'action') {
    const [language, text] =
      action.kind === 'GenerateAnswer'
        ? ['txt', answerText(action)]
        : ['sql', mainArgument(action)];
    return { content: `${thought}\n\n\`\`\`${language}\n${text}\n\`\`\`` };
  }
  const { format, protocol } = plan;
  if (format !== 'tools') {
    const reading = { kind: 'action', thought, action } as const;
    return { content: assistantMessage(reading, '', { format, protocol, strictness: 'tolerant' }) };
  }
  const call = {
    name: action.kind,
    arguments: jsonDumps(parametersOf(action), { indent: null, ascii: false }),
  };
  return {
    content: thought,
    tool_calls: [{ id: `call_simulated_${key}`, type: 'function', function: call }],
  };
}
