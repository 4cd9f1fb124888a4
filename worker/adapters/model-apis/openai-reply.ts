import { z } from 'zod';
import type { ModelReply } from '../../../activities/ports/model.js';
import { simulatedFingerprint, type ToolCall } from '../../../domain/models/chat-message.js';
import { cacheWrites, tokenCount, type ReadReply } from './read-reply.js';

/** The token counts of a completion, as far as the server reports them. */
const usageReportSchema = z.object({
  prompt_tokens: tokenCount,
  completion_tokens: tokenCount,
  total_tokens: tokenCount,
  prompt_tokens_details: z
    .object({ cached_tokens: tokenCount, cache_write_tokens: tokenCount })
    .nullish()
    .catch(null),
  completion_tokens_details: z.object({ reasoning_tokens: tokenCount }).nullish().catch(null),
  /** DeepSeek. */
  prompt_cache_hit_tokens: tokenCount,
  /** Moonshot. */
  cached_tokens: tokenCount,
});

/**
 * Tokens as they are billed. xAI and Gemini do not count hidden reasoning as completion tokens, but bill it as such. It is
 * the part of the total beyond prompt and completion.
 */
function tokensOf(usage: z.infer<typeof usageReportSchema>): ModelReply['tokens'] {
  const total = usage.total_tokens ?? 0;
  const { prompt_tokens: prompt, completion_tokens: completion } = usage;
  if (prompt === null && completion === null)
    return total === 0 ? null : { prompt: total, completion: 0, cached: 0 };
  const counted = (prompt ?? 0) + (completion ?? 0);
  const hidden = Math.max(0, total - counted);
  const details = usage.prompt_tokens_details;
  return {
    prompt: prompt ?? 0,
    completion: (completion ?? 0) + hidden,
    cached: details?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? usage.cached_tokens ?? 0,
    ...cacheWrites(details?.cache_write_tokens),
    reasoning: usage.completion_tokens_details?.reasoning_tokens ?? hidden,
  };
}

/** Mistral's reasoning models send parts, one of which is their reasoning. */
const partSchema = z
  .union([
    z.object({ type: z.literal('text'), text: z.string() }),
    z.object({
      type: z.literal('thinking'),
      thinking: z.array(z.looseObject({ text: z.string().default('') })),
    }),
    z.object({ type: z.literal('other') }),
  ])
  .catch({ type: 'other' });

const contentSchema = z.union([z.string(), z.array(partSchema)]).nullish();

/** A call whose name or arguments are missing is still a call: the model is told what is wrong with it. */
const toolCallSchema = z
  .object({
    /** The result of the call is sent back under this id. Some servers send none. */
    id: z.string().min(1).optional().catch(undefined),
    function: z
      .object({
        name: z.string().catch(''),
        /** A JSON text; some servers send the object itself. */
        arguments: z
          .union([z.string(), z.record(z.string(), z.json())])
          .nullish()
          .catch(null),
      })
      .catch({ name: '', arguments: null }),
  })
  .catch({ id: undefined, function: { name: '', arguments: null } });

const toolCallsSchema = z
  .array(toolCallSchema)
  .nullish()
  .catch(null)
  .transform((calls) =>
    (calls ?? []).map(({ id, function: { name, arguments: args } }, index): ToolCall => ({
      id: id ?? (index === 0 ? 'call' : `call_${index}`),
      name,
      argumentsText: typeof args === 'string' ? args : JSON.stringify(args ?? {}),
    })),
  );

/** Of a choice that only says what failed. */
const noMessage = {
  content: { text: '', thinking: '' },
  reasoning_content: null,
  reasoning: null,
  refusal: null,
  tool_calls: [],
} as const;

/** The fields of a chat completion that turnwise reads. */
const completionSchema = z.object({
  model: z.string().min(1).optional().catch(undefined),
  system_fingerprint: z.unknown().optional(),
  service_tier: z.unknown().optional(),
  /** OpenRouter: the upstream that answered. */
  provider: z.unknown().optional(),
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish().catch(null),
        /** OpenRouter: the upstream failed in the middle. */
        error: z.unknown().optional(),
        message: z
          .object({
            content: contentSchema.catch(null).transform(textAndThinking),
            /** DeepSeek and vLLM; OpenRouter and newer vLLM call it `reasoning`. */
            reasoning_content: z.string().nullish().catch(null),
            reasoning: z.string().nullish().catch(null),
            refusal: z.string().nullish().catch(null),
            tool_calls: toolCallsSchema,
          })
          .nullish()
          .transform((message) => message ?? noMessage),
      }),
    )
    .min(1),
  usage: usageReportSchema.nullish().catch(null),
});
type Choice = z.infer<typeof completionSchema>['choices'][number];

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

/** A chat completion of OpenAI and of those who imitate it. */
export function readChatReply(json: unknown): ReadReply | undefined {
  const completion = completionSchema.safeParse(json);
  const choice = completion.data?.choices[0];
  if (!completion.success || choice === undefined) return undefined;
  const { message } = choice;
  const { usage, system_fingerprint: systemFingerprint, model } = completion.data;
  const { text, thinking } = message.content;
  return {
    kind: 'reply',
    text: text === '' ? (message.refusal ?? '') : text,
    thoughts: [message.reasoning_content ?? message.reasoning, thinking],
    toolCalls: message.tool_calls,
    finishReason: finishReasonOf(choice),
    model,
    servedBy: {
      provider: completion.data.provider,
      systemFingerprint,
      serviceTier: completion.data.service_tier,
    },
    isSimulated: systemFingerprint === simulatedFingerprint,
    tokens: usage ? tokensOf(usage) : null,
  };
}

const finishReasons: Readonly<Record<string, ModelReply['finishReason']>> = {
  stop: 'stop',
  eos: 'stop',
  // A reply with tool calls is complete.
  tool_calls: 'stop',
  function_call: 'stop',
  length: 'length',
  max_tokens: 'length',
  content_filter: 'filtered',
  refusal: 'refused',
  error: 'error',
};

function finishReasonOf({
  finish_reason: reason,
  error,
  message,
}: Choice): ModelReply['finishReason'] {
  if (message.refusal) return 'refused';
  if (error) return 'error';
  return finishReasons[reason ?? ''] ?? 'other';
}

const other = z.object({ type: z.literal('other') });

const outputPartSchema = z
  .union([
    z.object({ type: z.literal('output_text'), text: z.string() }),
    z.object({ type: z.literal('refusal'), refusal: z.string() }),
    other,
  ])
  .catch({ type: 'other' });

const textSchema = z.object({ text: z.string() });

const itemSchema = z
  .union([
    z.object({ type: z.literal('message'), content: z.array(outputPartSchema) }),
    z.object({
      type: z.literal('reasoning'),
      summary: z.array(textSchema).nullish().catch(null),
      /** Of open models. */
      content: z.array(textSchema).nullish().catch(null),
    }),
    z.object({
      type: z.literal('function_call'),
      call_id: z.string().min(1).catch('call'),
      name: z.string().catch(''),
      arguments: z.string().catch(''),
    }),
    other,
  ])
  .catch({ type: 'other' });

/** The fields of a response that turnwise reads. */
const responseSchema = z.object({
  id: z.string().catch(''),
  model: z.string().min(1).optional().catch(undefined),
  status: z.string(),
  error: z.looseObject({ code: z.string().nullish() }).nullish(),
  incomplete_details: z.object({ reason: z.string().nullish() }).nullish().catch(null),
  service_tier: z.unknown().optional(),
  output: z.array(itemSchema),
  usage: z
    .object({
      input_tokens: tokenCount,
      output_tokens: tokenCount,
      input_tokens_details: z
        .object({ cached_tokens: tokenCount, cache_write_tokens: tokenCount })
        .nullish()
        .catch(null),
      output_tokens_details: z.object({ reasoning_tokens: tokenCount }).nullish().catch(null),
    })
    .nullish()
    .catch(null),
});
type Response = z.infer<typeof responseSchema>;

/** The status that an error would have had if it had come at once. */
const statusOf: Readonly<Record<string, number>> = {
  rate_limit_exceeded: 429,
  server_error: 500,
  vector_store_timeout: 500,
};

/** A response of OpenAI's Responses API. */
export function readResponsesReply(json: unknown): ReadReply | undefined {
  const { data } = responseSchema.safeParse(json);
  if (data === undefined) return undefined;
  const { error, output, usage, model } = data;
  if (data.status === 'failed' && (usage?.output_tokens ?? 0) === 0) {
    const status = statusOf[error?.code ?? 'server_error'] ?? 400;
    return { kind: 'late-error', status, body: { error } };
  }
  const contents = output.flatMap((item) => (item.type === 'message' ? item.content : []));
  const text = contents
    .flatMap((part) => (part.type === 'output_text' ? [part.text] : []))
    .join('');
  const refusal = contents
    .flatMap((part) => (part.type === 'refusal' ? [part.refusal] : []))
    .join('');
  return {
    kind: 'reply',
    text: text === '' ? refusal : text,
    thoughts: output.flatMap((item) =>
      item.type === 'reasoning'
        ? [...(item.summary ?? []), ...(item.content ?? [])].map(({ text: thought }) => thought)
        : [],
    ),
    toolCalls: output.flatMap((item) =>
      item.type === 'function_call'
        ? [{ id: item.call_id, name: item.name, argumentsText: item.arguments }]
        : [],
    ),
    finishReason: contents.some(({ type }) => type === 'refusal')
      ? 'refused'
      : finishReasonOfResponse(data),
    model,
    servedBy: { provider: null, systemFingerprint: null, serviceTier: data.service_tier },
    isSimulated: data.id.endsWith(simulatedFingerprint),
    tokens: usage
      ? {
          prompt: usage.input_tokens ?? 0,
          completion: usage.output_tokens ?? 0,
          cached: usage.input_tokens_details?.cached_tokens ?? 0,
          ...cacheWrites(usage.input_tokens_details?.cache_write_tokens),
          reasoning: usage.output_tokens_details?.reasoning_tokens ?? 0,
        }
      : null,
  };
}

function finishReasonOfResponse({
  status,
  incomplete_details: why,
}: Response): ModelReply['finishReason'] {
  if (status === 'completed') return 'stop';
  if (status === 'failed') return 'error';
  if (why?.reason === 'content_filter') return 'filtered';
  return why?.reason === 'max_output_tokens' ? 'length' : 'other';
}
