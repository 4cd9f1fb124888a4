import { z } from 'zod';
import type { ModelReply } from '../../../activities/ports/model.js';
import { simulatedFingerprint } from '../../../domain/models/chat-message.js';
import { tokenCount, type ReadReply } from './read-reply.js';

const partSchema = z
  .object({
    text: z.string().nullish(),
    /** Whether the text is a thought. */
    thought: z.boolean().nullish(),
    functionCall: z
      .object({
        id: z.string().min(1).optional().catch(undefined),
        name: z.string().catch(''),
        args: z.record(z.string(), z.json()).nullish().catch(null),
      })
      .nullish(),
  })
  .catch({});

/** The fields of a reply that turnwise reads. Protocol buffers leave out what is zero or empty. */
const replySchema = z
  .object({
    responseId: z.string().catch(''),
    modelVersion: z.string().min(1).optional().catch(undefined),
    candidates: z
      .array(
        z.object({
          content: z.object({ parts: z.array(partSchema).nullish() }).nullish(),
          finishReason: z.string().nullish().catch(null),
        }),
      )
      .nullish(),
    promptFeedback: z.object({ blockReason: z.string().nullish() }).nullish(),
    usageMetadata: z
      .object({
        promptTokenCount: tokenCount,
        toolUsePromptTokenCount: tokenCount,
        cachedContentTokenCount: tokenCount,
        candidatesTokenCount: tokenCount,
        totalTokenCount: tokenCount,
        thoughtsTokenCount: tokenCount,
      })
      .nullish()
      .catch(null),
  })
  .refine(({ candidates, promptFeedback }) => candidates?.length || promptFeedback?.blockReason);
type Usage = z.infer<typeof replySchema>['usageMetadata'];

/** The reasons for which Google removes a reply. */
const filters = [
  ...['SAFETY', 'RECITATION', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'LANGUAGE'],
  ...['IMAGE_SAFETY', 'IMAGE_PROHIBITED_CONTENT', 'MODEL_ARMOR'],
];

/** The reply broke off for a fault of the model or of Google. */
const failures = ['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'OTHER', 'NO_IMAGE'];

/** A reply of Gemini's `generateContent`. */
export function readGeminiReply(json: unknown): ReadReply | undefined {
  const { data } = replySchema.safeParse(json);
  if (data === undefined) return undefined;
  const [candidate] = data.candidates ?? [];
  const parts = candidate?.content?.parts ?? [];
  const reason = candidate?.finishReason ?? '';
  const texts = (isThought: boolean): readonly string[] =>
    parts.flatMap(({ text, thought }) => (text && (thought ?? false) === isThought ? [text] : []));
  return {
    kind: 'reply',
    text: texts(false).join(''),
    thoughts: texts(true),
    toolCalls: parts.flatMap(({ functionCall: call }, index) =>
      call
        ? [
            {
              id: call.id ?? `call_${index}`,
              name: call.name,
              argumentsText: JSON.stringify(call.args ?? {}),
            },
          ]
        : [],
    ),
    finishReason: candidate === undefined ? 'filtered' : finishReasonOf(reason),
    model: data.modelVersion,
    isSimulated: data.responseId.endsWith(simulatedFingerprint),
    tokens: tokensOf(data.usageMetadata),
  };
}

function finishReasonOf(reason: string): ModelReply['finishReason'] {
  if (reason === 'STOP') return 'stop';
  if (reason === 'MAX_TOKENS') return 'length';
  if (filters.includes(reason)) return 'filtered';
  return failures.includes(reason) ? 'error' : 'other';
}

/** Thoughts are billed as completion, and counted beside it. */
function tokensOf(usage: Usage): ModelReply['tokens'] {
  if (!usage) return null;
  const reasoning = usage.thoughtsTokenCount ?? 0;
  const counted = [usage.promptTokenCount, usage.candidatesTokenCount, usage.thoughtsTokenCount];
  if (counted.every((count) => count === null)) {
    const total = usage.totalTokenCount ?? 0;
    return total === 0 ? null : { prompt: total, completion: 0, cached: 0 };
  }
  return {
    prompt: (usage.promptTokenCount ?? 0) + (usage.toolUsePromptTokenCount ?? 0),
    completion: (usage.candidatesTokenCount ?? 0) + reasoning,
    cached: usage.cachedContentTokenCount ?? 0,
    reasoning,
  };
}
