import { z } from 'zod';
import type { ModelReply } from '../../../activities/ports/model.js';
import { simulatedFingerprint } from '../../../domain/models/chat-message.js';
import { cacheWrites, tokenCount, type ReadReply } from './read-reply.js';

const blockSchema = z
  .union([
    z.object({ type: z.literal('text'), text: z.string() }),
    z.object({ type: z.literal('thinking'), thinking: z.string() }),
    z.object({
      type: z.literal('tool_use'),
      id: z.string().min(1).catch('call'),
      name: z.string().catch(''),
      input: z.record(z.string(), z.json()).catch({}),
    }),
    z.object({ type: z.literal('other') }),
  ])
  // Thinking that was made unreadable, and results of the provider's own tools.
  .catch({ type: 'other' });

/** The fields of a message that turnwise reads. */
const messageSchema = z.object({
  id: z.string().catch(''),
  type: z.literal('message'),
  model: z.string().min(1).optional().catch(undefined),
  content: z.array(blockSchema),
  stop_reason: z.string().nullish().catch(null),
  usage: z
    .object({
      /** Those that were neither read from the cache nor written to it. */
      input_tokens: tokenCount,
      /** All that was written, whatever for how long. */
      cache_creation_input_tokens: tokenCount,
      cache_creation: z
        .object({ ephemeral_5m_input_tokens: tokenCount, ephemeral_1h_input_tokens: tokenCount })
        .nullish()
        .catch(null),
      cache_read_input_tokens: tokenCount,
      output_tokens: tokenCount,
      output_tokens_details: z.object({ thinking_tokens: tokenCount }).nullish().catch(null),
      service_tier: z.unknown().optional(),
    })
    .nullish()
    .catch(null),
});

const finishReasons: Readonly<Record<string, ModelReply['finishReason']>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  // A reply with tool calls is complete.
  tool_use: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'refused',
};

/** A message of Anthropic's Messages API. */
export function readAnthropicReply(json: unknown): ReadReply | undefined {
  const { data } = messageSchema.safeParse(json);
  if (data === undefined) return undefined;
  const { content, stop_reason: reason, usage, model } = data;
  return {
    kind: 'reply',
    text: content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join(''),
    thoughts: content.flatMap((block) => (block.type === 'thinking' ? [block.thinking] : [])),
    toolCalls: content.flatMap((block) =>
      block.type === 'tool_use'
        ? [{ id: block.id, name: block.name, argumentsText: JSON.stringify(block.input) }]
        : [],
    ),
    finishReason: finishReasons[reason ?? ''] ?? 'other',
    model,
    servedBy: { provider: null, systemFingerprint: null, serviceTier: usage?.service_tier },
    isSimulated: data.id.endsWith(simulatedFingerprint),
    tokens: usage ? tokensOf(usage) : null,
  };
}

function tokensOf(
  usage: NonNullable<z.infer<typeof messageSchema>['usage']>,
): ModelReply['tokens'] {
  const cached = usage.cache_read_input_tokens ?? 0;
  const hour = usage.cache_creation?.ephemeral_1h_input_tokens ?? 0;
  const short = usage.cache_creation?.ephemeral_5m_input_tokens ?? 0;
  const written = Math.max(usage.cache_creation_input_tokens ?? 0, short + hour);
  const thinking = usage.output_tokens_details?.thinking_tokens ?? null;
  return {
    prompt: (usage.input_tokens ?? 0) + written + cached,
    completion: usage.output_tokens ?? 0,
    cached,
    ...cacheWrites(written - hour, hour),
    ...(thinking !== null && { reasoning: thinking }),
  };
}
