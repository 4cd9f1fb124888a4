import { simulatedFingerprint } from '../../domain/models/chat-message.js';
import {
  piecesOf,
  type SimulatedApi,
  type SimulatedReply,
  type StreamEvent,
} from './simulated-api.js';

/** An error in OpenAI's format. */
const error: SimulatedApi['error'] = ({ message, type, code }) => ({
  error: { message, type, param: null, code },
});

const reply: SimulatedApi['reply'] = ({ number, model, message, tokens }) => ({
  ...facts(number, model, 'chat.completion'),
  choices: [
    {
      index: 0,
      message: { role: 'assistant', ...message, refusal: null },
      logprobs: null,
      finish_reason: message.tool_calls ? 'tool_calls' : 'stop',
    },
  ],
  usage: usageOf(tokens),
});

const facts = (number: number, model: string, object: string): object => ({
  id: `chatcmpl-simulated-${number}`,
  object,
  created: 0,
  model,
  system_fingerprint: simulatedFingerprint,
});

const usageOf = ({ prompt, completion, cached, written }: SimulatedReply['tokens']): object => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
});

/** As with `stream_options: { include_usage: true }`. */
const events: SimulatedApi['events'] = ({ number, model, message, tokens }) => {
  const { content, tool_calls: calls = [] } = message;
  const chunk = (choices: readonly object[], usage: object | null = null): StreamEvent => ({
    ...facts(number, model, 'chat.completion.chunk'),
    choices,
    usage,
  });
  const piece = (delta: object, reason: string | null = null): StreamEvent =>
    chunk([{ index: 0, delta, logprobs: null, finish_reason: reason }]);
  return [
    piece({ role: 'assistant', content: content === null ? null : '' }),
    ...piecesOf(content ?? '').map((text) => piece({ content: text })),
    ...calls.flatMap(({ function: { name, arguments: args }, ...call }, index) => [
      piece({ tool_calls: [{ index, ...call, function: { name, arguments: '' } }] }),
      ...piecesOf(args).map((text) =>
        piece({ tool_calls: [{ index, function: { arguments: text } }] }),
      ),
    ]),
    piece({}, calls.length > 0 ? 'tool_calls' : 'stop'),
    chunk([], usageOf(tokens)),
    '[DONE]',
  ];
};

/** OpenAI's chat completions. */
export const chatApi: SimulatedApi = {
  asChat: (body) => body,
  error,
  overloadStatus: 503,
  keyStatus: 401,
  sendsRetryAfter: true,
  headers: (headers) => headers,
  reply,
  events,
};
