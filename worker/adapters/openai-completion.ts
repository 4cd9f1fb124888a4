import { APIError } from 'openai';
import { jsonIn } from '../../domain/json-in.js';
import { readRateLimit } from '../../domain/models/rate-limit.js';
import { splitReasoning } from '../../domain/models/split-reasoning.js';
import { simulatedFingerprint } from '../../domain/simulated-fingerprint.js';
import type { ModelReply } from '../../activities/ports/model.js';
import type { EndpointReply } from './openai-call.js';
import { completionSchema, lateErrorSchema, type Choice } from './openai-completion-schema.js';
import {
  emptyReplyFailure,
  nonsenseFailure,
  statusFailure,
  type Asked,
} from './openai-failures.js';
import { tokensOf } from './openai-usage.js';

/**
 * Reads the body of a reply with a success status. Throws PortFailure for anything but a completion with text or tool
 * calls, or one that the token limit cut off in its reasoning: asked again, it would cost the same and end the same.
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

/** Reasoning comes in marks, in a field of its own, or as a part of the content. Blank content is none. */
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
  // With tools, the reply is as complete as one that stopped.
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
