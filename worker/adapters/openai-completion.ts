import { APIError } from 'openai';
import { z } from 'zod';
import { simulatedFingerprint } from '../../domain/simulated-fingerprint.js';
import type { ModelReply } from '../../activities/ports/model.js';
import { nonsenseFailure, statusFailure, type Asked } from './openai-failures.js';

const count = z.int().nonnegative();

/** What turnwise reads of a chat completion. Servers differ in all the rest. */
const completionSchema = z.object({
  model: z.string().min(1).optional().catch(undefined),
  system_fingerprint: z.string().nullish().catch(null),
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({
          content: z.string().nullish(),
          refusal: z.string().nullish(),
          tool_calls: z.array(z.unknown()).nullish(),
        }),
      }),
    )
    .min(1),
  usage: z
    .object({
      prompt_tokens: count,
      completion_tokens: count,
      prompt_tokens_details: z.object({ cached_tokens: count.nullish() }).nullish(),
    })
    .nullish()
    .catch(null),
});
type Choice = z.infer<typeof completionSchema>['choices'][number];

/** OpenRouter and others report a failure that came late under status 200. */
const lateErrorSchema = z.object({
  error: z.looseObject({ code: z.int().min(400).max(599) }),
});

/** Reads the body of a reply with a success status. Throws PortFailure for anything but a completion with text. */
export function readCompletion(body: string, headers: Headers, asked: Asked): ModelReply {
  const json = parseJson(body);
  if (json === undefined) throw nonsenseFailure(`sent ${looksLike(body)}`, asked);

  const late = lateErrorSchema.safeParse(json);
  if (late.success)
    throw statusFailure(
      APIError.generate(late.data.error.code, late.data, undefined, headers),
      asked,
    );

  const completion = completionSchema.safeParse(json);
  const choice = completion.data?.choices[0];
  if (!completion.success || choice === undefined)
    throw nonsenseFailure('sent JSON that is not a chat completion', asked);

  const { content } = choice.message;
  if (!content?.trim()) throw nonsenseFailure(`sent no text: ${whyEmpty(choice)}`, asked);
  const { usage, system_fingerprint: fingerprint } = completion.data;
  const model = completion.data.model ?? asked.model;
  return {
    content,
    finishReason: finishReasonOf(choice),
    model: fingerprint === simulatedFingerprint ? `${model} (simulated)` : model,
    tokens: usage
      ? {
          prompt: usage.prompt_tokens,
          completion: usage.completion_tokens,
          cached: usage.prompt_tokens_details?.cached_tokens ?? 0,
        }
      : null,
  };
}

function finishReasonOf({ finish_reason: reason }: Choice): ModelReply['finishReason'] {
  return reason === 'stop' || reason === 'length' ? reason : 'other';
}

function whyEmpty({ finish_reason: reason, message }: Choice): string {
  if (reason === 'content_filter') return "the provider's content filter removed it";
  if (message.refusal) return 'the model declined to answer';
  if (message.tool_calls?.length) return 'only tool calls, which were not offered';
  if (reason === 'length') return 'the whole token allowance went into hidden reasoning';
  return 'the content is empty';
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function looksLike(body: string): string {
  if (body.trim() === '') return 'an empty body instead of JSON';
  return /^\s*<(!doctype|html|head|body)/i.test(body)
    ? "an HTML page instead of JSON: check that the base URL is the API's, not a website's or a proxy's"
    : 'broken JSON';
}
