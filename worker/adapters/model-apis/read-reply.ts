import { z } from 'zod';
import type { ModelReply } from '../../../activities/ports/model.js';
import { jsonIn } from '../../../domain/formats/json.js';
import { apiFacts } from '../../../domain/model-api.js';
import {
  servedBySchema,
  simulatedFingerprint,
  type ServedBy,
  type ToolCall,
} from '../../../domain/models/chat-message.js';
import { exchangeSchema, type Exchange } from '../../../domain/models/call-attempts.js';
import { splitReasoning } from '../../../domain/models/reasoning.js';
import type { CallTokens } from '../../../domain/models/usage.js';
import { readRateLimit } from '../../../domain/rate-limits/stated-limits.js';
import type { EndpointReply } from './call-endpoint.js';
import { nonsenseFailure, statusFailure, type Asked } from './failures.js';

/** What a reply says, whatever its API. */
export type ReadReply =
  | {
      readonly kind: 'reply';
      /** What the model wrote; of a refusal, its words. */
      readonly text: string;
      /** Apart from the text; blank where there is none. */
      readonly thoughts: readonly (string | null | undefined)[];
      readonly toolCalls: readonly ToolCall[];
      readonly finishReason: ModelReply['finishReason'];
      readonly model: string | undefined;
      readonly servedBy?: Readonly<Record<keyof ServedBy, unknown>>;
      readonly isSimulated: boolean;
      readonly tokens: ModelReply['tokens'];
    }
  /** A failure under a success status. */
  | { readonly kind: 'late-error'; readonly status: number; readonly body: unknown };

/**
 * Reads the body of a reply with a success status. Whatever the provider bills is a reply, also without text. Throws
 * PortFailure for what is no reply of the API.
 * @param read - undefined for JSON that is no reply of the API
 */
export function readReply(
  { body, headers }: EndpointReply,
  asked: Asked,
  read: (json: unknown) => ReadReply | undefined,
): ModelReply & Pick<Exchange, 'id'> {
  const json = jsonIn(body);
  if (json === undefined) throw nonsenseFailure(`sent ${looksLike(body)}`, headers, asked);
  const reply = read(json) ?? billedReply(json);
  if (reply === undefined) {
    const what = apiFacts[asked.api].reply;
    throw nonsenseFailure(`sent JSON that is not ${what}`, headers, asked);
  }
  if (reply.kind === 'late-error') throw statusFailure({ ...reply, headers }, asked);

  const { content, reasoning } = textsOf(reply);
  const toolCalls = asked.tools ? reply.toolCalls : [];
  const model = reply.model ?? asked.model;
  const rateLimit = readRateLimit((name) => headers.get(name), Date.now());
  const servedBy = servedByOf(reply);
  const ids = idsSchema.safeParse(json).data;
  return {
    id: ids?.id ?? ids?.responseId,
    content,
    ...(reasoning !== null && { reasoning }),
    ...(toolCalls.length > 0 && { toolCalls }),
    finishReason: reply.finishReason,
    model: reply.isSimulated ? `${model} (simulated)` : model,
    tokens: reply.tokens,
    ...(servedBy && { servedBy }),
    ...(rateLimit && { rateLimit }),
  };
}

const id = exchangeSchema.shape.id.catch(undefined);
/** Of Gemini, and of the others. */
const idsSchema = z.object({ responseId: id, id });

type Reply = Extract<ReadReply, { readonly kind: 'reply' }>;

/** Reasoning may also be in marks inside the text. Blank content becomes empty. */
function textsOf({ text, thoughts }: Reply): { content: string; reasoning: string | null } {
  const { content, reasoning } = splitReasoning(text);
  const known = [...thoughts, reasoning]
    .map((piece) => piece?.trim() ?? '')
    .filter((piece) => piece !== '');
  return {
    content: content.trim() === '' ? '' : content,
    reasoning: known.length > 0 ? known.join('\n\n') : null,
  };
}

/** Names that are texts; undefined where there are none. */
function servedByOf({
  servedBy = { provider: null, systemFingerprint: null, serviceTier: null },
}: Reply): ServedBy | undefined {
  const names = Object.entries(servedBy).filter(
    ([, name]) => typeof name === 'string' && name !== '' && name !== simulatedFingerprint,
  );
  return names.length === 0 ? undefined : servedBySchema.parse(Object.fromEntries(names));
}

/** A count of tokens. Null for what is none: one odd field must not hide the others of a bill. */
export const tokenCount = z
  .unknown()
  .optional()
  .transform((value) =>
    typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')
      ? Math.round(Number(value))
      : null,
  )
  .transform((value) =>
    value !== null && Number.isSafeInteger(value) && value >= 0 ? value : null,
  );

const billSchema = z.object({
  usage: z
    .object({
      prompt_tokens: tokenCount,
      input_tokens: tokenCount,
      completion_tokens: tokenCount,
      output_tokens: tokenCount,
    })
    .optional()
    .catch(undefined),
  usageMetadata: z
    .object({ promptTokenCount: tokenCount, candidatesTokenCount: tokenCount })
    .optional()
    .catch(undefined),
});

/** JSON that is no reply of the API and carries a bill all the same: what it says cannot be read. Undefined without a bill. */
function billedReply(json: unknown): ReadReply | undefined {
  const { usage, usageMetadata: google } = billSchema.safeParse(json).data ?? {};
  const prompt = usage?.prompt_tokens ?? usage?.input_tokens ?? google?.promptTokenCount ?? 0;
  const completion =
    usage?.completion_tokens ?? usage?.output_tokens ?? google?.candidatesTokenCount ?? 0;
  if (prompt + completion === 0) return undefined;
  return {
    kind: 'reply',
    text: '',
    thoughts: [],
    toolCalls: [],
    finishReason: 'error',
    model: undefined,
    isSimulated: false,
    tokens: { prompt, completion, cached: 0 },
  };
}

/** Tokens that are written to the provider's cache, as far as a bill counts them. */
export const cacheWrites = (
  short: number | null | undefined,
  hour: number | null | undefined = null,
): Pick<CallTokens, 'cacheWritten' | 'cacheWrittenHour'> => ({
  ...(short ? { cacheWritten: short } : {}),
  ...(hour ? { cacheWrittenHour: hour } : {}),
});

function looksLike(body: string): string {
  if (body.trim() === '') return 'an empty body instead of JSON';
  return /^\s*<(!doctype|html|head|body)/i.test(body)
    ? "an HTML page instead of JSON: check that the base URL is the API's, not a website's or a proxy's"
    : 'broken JSON';
}
