import { simulatedFingerprint } from '../../domain/models/chat-request.js';
import type { SimulatedApi } from './simulated-api.js';

/** An error in OpenAI's format. */
const error: SimulatedApi['error'] = ({ message, type, code }) => ({
  error: { message, type, param: null, code },
});

/** OpenAI's chat completions. */
export const chatApi: SimulatedApi = {
  asChat: (body) => body,
  error,
  overloadStatus: 503,
  keyStatus: 401,
  sendsRetryAfter: true,
  headers: (headers) => headers,
  reply: ({ number, model, message, tokens }) => ({
    id: `chatcmpl-simulated-${number}`,
    object: 'chat.completion',
    created: 0,
    model,
    system_fingerprint: simulatedFingerprint,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', ...message, refusal: null },
        logprobs: null,
        finish_reason: message.tool_calls ? 'tool_calls' : 'stop',
      },
    ],
    usage: {
      prompt_tokens: tokens.prompt,
      completion_tokens: tokens.completion,
      total_tokens: tokens.prompt + tokens.completion,
      prompt_tokens_details: { cached_tokens: tokens.cached },
    },
  }),
};
