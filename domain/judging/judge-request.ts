import { z } from 'zod';
import type { ChatRequest } from '../models/chat-body.js';
import type { ModelConfig } from '../models/model-config.js';
import type { JudgeQuestion } from './judge-question.js';
import { structuredReplies, type ReplyForm } from './reply-form.js';

/** What a judge's model is sent: its settings, and the schema of its reply where it can be held to one. */
export function judgeRequest(
  { name, ...settings }: ModelConfig,
  { messages, structured, sampling }: JudgeQuestion,
): ChatRequest & Pick<ModelConfig, 'timeoutMs' | 'cache'> {
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

/** Which dialect of JSON Schema it is has no place in a request. */
const schemaOf = (form: ReplyForm): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(z.toJSONSchema(structuredReplies[form])).filter(([key]) => key !== '$schema'),
  );
