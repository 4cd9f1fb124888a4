import { v5 as uuid5 } from 'uuid';
import { z } from 'zod';
import type { ChatRequest } from '../models/chat-body.js';
import type { ModelConfig } from '../models/model-config.js';
import type { JudgeQuestion } from './judge-question.js';
import { structuredReplies, type ReplyForm } from './reply-form.js';

export type JudgeRequest = ChatRequest & Pick<ModelConfig, 'timeoutMs' | 'cache'>;

/** What a judge's model is sent: its settings, and the schema of its reply where it can be held to one. */
export function judgeRequest(
  { name, ...settings }: ModelConfig,
  { messages, structured, sampling }: JudgeQuestion,
): JudgeRequest {
  return {
    ...settings,
    // A model that refuses a setting refuses it here too.
    ...(sampling && settings.temperature !== null && { temperature: sampling.temperature }),
    ...(sampling && settings.topP !== null && { topP: sampling.topP }),
    model: name,
    messages,
    ...(structured && { replySchema: { name: structured, schema: schemaOf(structured) } }),
  };
}

/** Of the keys of requests; any constant would do. */
const namespace = '7b1f4c52-9f0e-4a53-8c6e-2d1a90c5e3f8';

/** Equal for requests that ask the same of the same model. The address does not matter: a model may move. */
export function requestKey(request: ChatRequest): string {
  const { model, messages, replySchema, temperature, topP, maxTokens, seed } = request;
  const { reasoningEffort, extraBody } = request;
  const asked = [model, messages, replySchema ?? null, temperature, topP, maxTokens, seed];
  const text = JSON.stringify([...asked, reasoningEffort, extraBody]);
  return uuid5(text, namespace).replaceAll('-', '');
}

/** Which dialect of JSON Schema it is has no place in a request. */
const schemaOf = (form: ReplyForm): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(z.toJSONSchema(structuredReplies[form])).filter(([key]) => key !== '$schema'),
  );
