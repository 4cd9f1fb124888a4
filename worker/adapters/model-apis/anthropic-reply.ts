import { z } from 'zod';
import type { ModelReply } from '../../../activities/ports/model.js';
import { simulatedFingerprint } from '../../../domain/models/chat-request.js';
import { declined, type ReadReply } from './read-reply.js';

const count = z.int().nonnegative();
const maybe = count.nullish().catch(null);

const blockSchema = z.union([
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('thinking'), thinking: z.string() }),
  z.object({
    type: z.literal('tool_use'),
    id: z.string().min(1),
    name: z.string().min(1),
    input: z.record(z.string(), z.json()),
  }),
  // Thinking that was made unreadable, and results of the provider's own tools.
  z.looseObject({ type: z.string() }).transform(() => ({ type: 'other' as const })),
]);

/** The fields of a message that turnwise reads. */
const messageSchema = z.object({
  id: z.string().catch(''),
  type: z.literal('message'),
  model: z.string().min(1).optional().catch(undefined),
  content: z.array(blockSchema),
  stop_reason: z.string().nullish(),
  usage: z
    .object({
      /** Those that were neither read from the cache nor written to it. */
      input_tokens: count,
      cache_creation_input_tokens: maybe,
      cache_read_input_tokens: maybe,
      output_tokens: count,
      output_tokens_details: z.object({ thinking_tokens: maybe }).nullish().catch(null),
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
};

/** A message of Anthropic's Messages API. */
export function readAnthropicReply(json: unknown): ReadReply | undefined {
  const { data } = messageSchema.safeParse(json);
  if (data === undefined) return undefined;
  const { content, stop_reason: reason, usage, model } = data;
  const cached = usage?.cache_read_input_tokens ?? 0;
  const thinking = usage?.output_tokens_details?.thinking_tokens;
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
    withheld: reason === 'refusal' ? declined : undefined,
    model,
    isSimulated: data.id.endsWith(simulatedFingerprint),
    tokens: usage
      ? {
          prompt: usage.input_tokens + (usage.cache_creation_input_tokens ?? 0) + cached,
          completion: usage.output_tokens,
          cached,
          ...(typeof thinking === 'number' && { reasoning: thinking }),
        }
      : null,
  };
}
