import { z } from 'zod';
import type { ToolCall } from '../../domain/models/tool.js';
import { usageReportSchema } from './openai-usage.js';

/** Mistral's reasoning models send parts, and their thinking as one of them. */
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
    /** What its result is sent back under; some servers leave it out. */
    id: z.string().min(1).catch('call'),
    function: z.object({
      name: z.string().min(1),
      /** A text by the book; some servers send the object itself. */
      arguments: z.union([z.string(), z.record(z.string(), z.json())]).nullish(),
    }),
  })
  .transform(({ id, function: { name, arguments: args } }): ToolCall => ({
    id,
    name,
    argumentsText: typeof args === 'string' ? args : JSON.stringify(args ?? {}),
  }));

/** What turnwise reads of a chat completion. Servers differ in all the rest. */
export const completionSchema = z.object({
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
export type Choice = z.infer<typeof completionSchema>['choices'][number];

/** OpenRouter and others report a failure that came late under status 200. */
export const lateErrorSchema = z.object({
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
