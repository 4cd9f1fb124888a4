import { APIError } from 'openai';
import { z } from 'zod';
import type { ModelReply } from '../../../activities/ports/model.js';
import { jsonIn } from '../../../domain/formats/json.js';
import type { ToolCall } from '../../../domain/models/chat-message.js';
import { simulatedFingerprint } from '../../../domain/models/chat-request.js';
import { splitReasoning } from '../../../domain/models/reasoning.js';
import { readRateLimit } from '../../../domain/rate-limits/rate-limit-headers.js';
import { emptyReplyFailure, nonsenseFailure, statusFailure, type Asked } from './failures.js';

/** A reply with a success status. */
export interface EndpointReply {
  readonly body: string;
  readonly headers: Headers;
}

const count = z.int().nonnegative();
const maybe = count.nullish().catch(null);

/** The token counts of a completion. All servers report the first two. */
const usageReportSchema = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: maybe,
  prompt_tokens_details: z.object({ cached_tokens: maybe }).nullish().catch(null),
  completion_tokens_details: z.object({ reasoning_tokens: maybe }).nullish().catch(null),
  /** DeepSeek. */
  prompt_cache_hit_tokens: maybe,
  /** Moonshot. */
  cached_tokens: maybe,
});

/**
 * Tokens as they are billed. xAI and Gemini do not count hidden reasoning as completion tokens, but bill it as such. It is
 * the part of the total beyond prompt and completion.
 */
function tokensOf(usage: z.infer<typeof usageReportSchema>): NonNullable<ModelReply['tokens']> {
  const { prompt_tokens: prompt, completion_tokens: completion } = usage;
  const hidden = Math.max(0, (usage.total_tokens ?? 0) - prompt - completion);
  const reasoning = usage.completion_tokens_details?.reasoning_tokens ?? hidden;
  return {
    prompt,
    completion: completion + hidden,
    cached:
      usage.prompt_tokens_details?.cached_tokens ??
      usage.prompt_cache_hit_tokens ??
      usage.cached_tokens ??
      0,
    reasoning,
  };
}

/** Mistral's reasoning models send parts, one of which is their reasoning. */
const partSchema = z.union([
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({
    type: z.literal('thinking'),
    thinking: z.array(z.looseObject({ text: z.string().default('') })),
  }),
  z.looseObject({ type: z.string() }).transform(() => ({ type: 'other' as const })),
]);

const contentSchema = z.union([z.string(), z.array(partSchema)]).nullish();

const toolCallSchema = z
  .object({
    /** The result of the call is sent back under this id. Some servers send none. */
    id: z.string().min(1).catch('call'),
    function: z.object({
      name: z.string().min(1),
      /** A JSON text; some servers send the object itself. */
      arguments: z.union([z.string(), z.record(z.string(), z.json())]).nullish(),
    }),
  })
  .transform(({ id, function: { name, arguments: args } }): ToolCall => ({
    id,
    name,
    argumentsText: typeof args === 'string' ? args : JSON.stringify(args ?? {}),
  }));

/** The fields of a chat completion that turnwise reads. */
const completionSchema = z.object({
  model: z.string().min(1).optional().catch(undefined),
  system_fingerprint: z.string().nullish().catch(null),
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({
          content: contentSchema.transform(textAndThinking),
          /** DeepSeek and vLLM; OpenRouter and newer vLLM call it `reasoning`. */
          reasoning_content: z.string().nullish().catch(null),
          reasoning: z.string().nullish().catch(null),
          refusal: z.string().nullish(),
          tool_calls: z
            .array(toolCallSchema)
            .nullish()
            .transform((calls) => calls ?? []),
        }),
      }),
    )
    .min(1),
  usage: usageReportSchema.nullish().catch(null),
});
type Choice = z.infer<typeof completionSchema>['choices'][number];

/** OpenRouter and others report a late failure with status 200. */
const lateErrorSchema = z.object({
  error: z.looseObject({ code: z.int().min(400).max(599) }),
});

function textAndThinking(content: z.infer<typeof contentSchema>): {
  readonly text: string;
  readonly thinking: string;
} {
  if (typeof content === 'string') return { text: content, thinking: '' };
  const parts = content ?? [];
  return {
    text: parts.map((part) => (part.type === 'text' ? part.text : '')).join(''),
    thinking: parts
      .flatMap((part) => (part.type === 'thinking' ? part.thinking : []))
      .map(({ text }) => text)
      .join(''),
  };
}

/**
 * Reads the body of a reply with a success status. Throws PortFailure unless it is a completion with text or tool calls, or
 * one that reached the token limit during its reasoning, which a retry would only repeat.
 */
export function readCompletion({ body, headers }: EndpointReply, asked: Asked): ModelReply {
  const json = jsonIn(body);
  if (json === undefined) throw nonsenseFailure(`sent ${looksLike(body)}`, headers, asked);

  const late = lateErrorSchema.safeParse(json);
  if (late.success)
    throw statusFailure(
      APIError.generate(late.data.error.code, late.data, undefined, headers),
      asked,
    );

  const completion = completionSchema.safeParse(json);
  const choice = completion.data?.choices[0];
  if (!completion.success || choice === undefined)
    throw nonsenseFailure('sent JSON that is not a chat completion', headers, asked);

  const { content, reasoning } = textsOf(choice);
  const toolCalls = asked.tools ? choice.message.tool_calls : [];
  const finishReason = finishReasonOf(choice);
  if (content === '' && toolCalls.length === 0 && finishReason !== 'length')
    throw emptyReplyFailure(whyEmpty(choice, reasoning), headers, asked);

  const { usage, system_fingerprint: fingerprint } = completion.data;
  const model = completion.data.model ?? asked.model;
  const rateLimit = readRateLimit((name) => headers.get(name), Date.now());
  return {
    content,
    ...(reasoning !== null && { reasoning }),
    ...(toolCalls.length > 0 && { toolCalls }),
    finishReason,
    model: fingerprint === simulatedFingerprint ? `${model} (simulated)` : model,
    tokens: usage ? tokensOf(usage) : null,
    ...(rateLimit && { rateLimit }),
  };
}

/** Reasoning is in marks inside the text, in a field of its own, or a part of the content. Blank content becomes empty. */
function textsOf({ message }: Choice): { content: string; reasoning: string | null } {
  const { text, thinking } = message.content;
  const { content, reasoning } = splitReasoning(text);
  const pieces = [message.reasoning_content ?? message.reasoning, thinking, reasoning];
  const known = pieces.map((piece) => piece?.trim() ?? '').filter((piece) => piece !== '');
  return {
    content: content.trim() === '' ? '' : content,
    reasoning: known.length > 0 ? known.join('\n\n') : null,
  };
}

function finishReasonOf({ finish_reason: reason }: Choice): ModelReply['finishReason'] {
  // A reply with tool calls is complete.
  if (reason === 'tool_calls') return 'stop';
  return reason === 'stop' || reason === 'length' ? reason : 'other';
}

function whyEmpty({ finish_reason: reason, message }: Choice, reasoning: string | null): string {
  if (reason === 'content_filter') return "the provider's content filter removed it";
  if (message.refusal) return 'the model declined to answer';
  if (message.tool_calls.length > 0) return 'only tool calls, which were not offered';
  return reasoning === null ? 'the content is empty' : 'there is reasoning, and nothing after it';
}

function looksLike(body: string): string {
  if (body.trim() === '') return 'an empty body instead of JSON';
  return /^\s*<(!doctype|html|head|body)/i.test(body)
    ? "an HTML page instead of JSON: check that the base URL is the API's, not a website's or a proxy's"
    : 'broken JSON';
}
