import { z } from 'zod';
import type { ModelReply } from '../../../activities/ports/model.js';
import { simulatedFingerprint } from '../../../domain/models/chat-request.js';
import { filtered, type ReadReply } from './read-reply.js';

const count = z.int().nonnegative();
const maybe = count.nullish().catch(null);

const partSchema = z.object({
  text: z.string().nullish(),
  /** Whether the text is a thought. */
  thought: z.boolean().nullish(),
  functionCall: z
    .object({
      id: z.string().min(1).optional().catch(undefined),
      name: z.string().min(1),
      args: z.record(z.string(), z.json()).nullish(),
    })
    .nullish(),
});

/** The fields of a reply that turnwise reads. Protocol buffers leave out what is zero or empty. */
const replySchema = z
  .object({
    responseId: z.string().catch(''),
    modelVersion: z.string().min(1).optional().catch(undefined),
    candidates: z
      .array(
        z.object({
          content: z.object({ parts: z.array(partSchema).nullish() }).nullish(),
          finishReason: z.string().nullish(),
        }),
      )
      .nullish(),
    promptFeedback: z.object({ blockReason: z.string().nullish() }).nullish(),
    usageMetadata: z
      .object({
        promptTokenCount: maybe,
        toolUsePromptTokenCount: maybe,
        cachedContentTokenCount: maybe,
        candidatesTokenCount: maybe,
        thoughtsTokenCount: maybe,
      })
      .nullish()
      .catch(null),
  })
  .refine(({ candidates, promptFeedback }) => candidates?.length || promptFeedback?.blockReason);
type Usage = z.infer<typeof replySchema>['usageMetadata'];

/** The reasons for which Google removes a reply. */
const filters = ['SAFETY', 'RECITATION', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'LANGUAGE'];

/** A reply of Gemini's `generateContent`. */
export function readGeminiReply(json: unknown): ReadReply | undefined {
  const { data } = replySchema.safeParse(json);
  if (data === undefined) return undefined;
  const [candidate] = data.candidates ?? [];
  const parts = candidate?.content?.parts ?? [];
  const reason = candidate?.finishReason ?? '';
  const texts = (isThought: boolean): readonly string[] =>
    parts.flatMap(({ text, thought }) => (text && (thought ?? false) === isThought ? [text] : []));
  const isFiltered = candidate === undefined || filters.includes(reason);
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
    finishReason: finishReasonOf(reason),
    withheld: isFiltered ? filtered : undefined,
    model: data.modelVersion,
    isSimulated: data.responseId.endsWith(simulatedFingerprint),
    tokens: tokensOf(data.usageMetadata),
  };
}

function finishReasonOf(reason: string): ModelReply['finishReason'] {
  if (reason === 'STOP') return 'stop';
  return reason === 'MAX_TOKENS' ? 'length' : 'other';
}

/** Thoughts are billed as completion, and counted beside it. */
function tokensOf(usage: Usage): ModelReply['tokens'] {
  if (!usage) return null;
  const reasoning = usage.thoughtsTokenCount ?? 0;
  return {
    prompt: (usage.promptTokenCount ?? 0) + (usage.toolUsePromptTokenCount ?? 0),
    completion: (usage.candidatesTokenCount ?? 0) + reasoning,
    cached: usage.cachedContentTokenCount ?? 0,
    reasoning,
  };
}
