import { z } from 'zod';
import type { ModelReply } from '../../../activities/ports/model.js';
import type { ToolCall } from '../../../domain/models/chat-message.js';
import { simulatedFingerprint } from '../../../domain/models/chat-request.js';
import { declined, filtered, type ReadReply } from './read-reply.js';

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
  const { usage, system_fingerprint: fingerprint, model } = completion.data;
  return {
    kind: 'reply',
    text: message.content.text,
    thoughts: [message.reasoning_content ?? message.reasoning, message.content.thinking],
    toolCalls: message.tool_calls,
    finishReason: finishReasonOf(choice),
    withheld: whyWithheld(choice),
    model,
    isSimulated: fingerprint === simulatedFingerprint,
    tokens: usage ? tokensOf(usage) : null,
  };
}

function finishReasonOf({ finish_reason: reason }: Choice): ModelReply['finishReason'] {
  // A reply with tool calls is complete.
  if (reason === 'tool_calls') return 'stop';
  return reason === 'stop' || reason === 'length' ? reason : 'other';
}

function whyWithheld({ finish_reason: reason, message }: Choice): string | undefined {
  if (reason === 'content_filter') return filtered;
  return message.refusal ? declined : undefined;
}
