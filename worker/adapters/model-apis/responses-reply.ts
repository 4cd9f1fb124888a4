import { z } from 'zod';
import type { ModelReply } from '../../../activities/ports/model.js';
import { simulatedFingerprint } from '../../../domain/models/chat-message.js';
import { cacheWrites, tokenCount, type ReadReply } from './read-reply.js';

const other = z.object({ type: z.literal('other') });

const contentSchema = z
  .union([
    z.object({ type: z.literal('output_text'), text: z.string() }),
    z.object({ type: z.literal('refusal'), refusal: z.string() }),
    other,
  ])
  .catch({ type: 'other' });

const textSchema = z.object({ text: z.string() });

const itemSchema = z
  .union([
    z.object({ type: z.literal('message'), content: z.array(contentSchema) }),
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
      : finishReasonOf(data),
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

function finishReasonOf({ status, incomplete_details: why }: Response): ModelReply['finishReason'] {
  if (status === 'completed') return 'stop';
  if (status === 'failed') return 'error';
  if (why?.reason === 'content_filter') return 'filtered';
  return why?.reason === 'max_output_tokens' ? 'length' : 'other';
}
