import { z } from 'zod';
import { simulatedFingerprint } from '../../domain/models/chat-message.js';
import {
  piecesOf,
  textIn,
  type SimulatedApi,
  type SimulatedReply,
  type StreamEvent,
} from './simulated-api.js';

/** An error in OpenAI's format. */
const error: SimulatedApi['error'] = ({ message, type, code }) => ({
  error: { message, type, param: null, code },
});

const chatReply: SimulatedApi['reply'] = ({ number, model, message, tokens }) => ({
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
const chatEvents: SimulatedApi['events'] = ({ number, model, message, tokens }) => {
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
  reply: chatReply,
  events: chatEvents,
};

const partSchema = z.union([
  z.object({ type: z.literal('input_text'), text: z.string() }),
  z.object({ type: z.literal('input_image'), image_url: z.string() }),
]);

const itemSchema = z.union([
  z.object({ type: z.literal('function_call_output'), output: z.string() }),
  z.object({
    type: z.literal('function_call'),
    call_id: z.string(),
    name: z.string(),
    arguments: z.string(),
  }),
  z.object({ role: z.string(), content: z.union([z.string(), z.array(partSchema)]) }),
]);
type Item = z.infer<typeof itemSchema>;

const requestSchema = z.looseObject({
  input: z.array(itemSchema),
  tools: z.array(z.looseObject({ name: z.string() })).optional(),
  max_output_tokens: z.int().min(16),
  text: z.looseObject({ format: z.looseObject({ type: z.string() }) }).optional(),
});

const responseReply: SimulatedApi['reply'] = ({ number, model, message, tokens }) => ({
  id: `resp_${number}_${simulatedFingerprint}`,
  object: 'response',
  created_at: 0,
  status: 'completed',
  error: null,
  incomplete_details: null,
  model,
  output: [
    {
      type: 'message',
      id: `msg_${number}`,
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text: textIn(message), annotations: [] }],
    },
    ...(message.tool_calls ?? []).map(({ id, function: call }) => ({
      type: 'function_call',
      id: `fc_${number}`,
      call_id: id,
      status: 'completed',
      ...call,
    })),
  ],
  usage: {
    input_tokens: tokens.prompt,
    input_tokens_details: { cached_tokens: tokens.cached, cache_write_tokens: tokens.written },
    output_tokens: tokens.completion,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: tokens.prompt + tokens.completion,
  },
});

const responseEvents: SimulatedApi['events'] = (sent) => {
  const response = responseReply(sent);
  return [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    ...piecesOf(textIn(sent.message)).map((delta) => ({
      type: 'response.output_text.delta',
      output_index: 0,
      content_index: 0,
      delta,
    })),
    { type: 'response.completed', response },
  ];
};

/** OpenAI's Responses API. */
export const responsesApi: SimulatedApi = {
  ...chatApi,
  asChat: (body) => {
    const { input, tools, text, ...rest } = requestSchema.parse(body);
    return {
      ...rest,
      messages: messagesOf(input),
      ...(tools && { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
      ...(text && { response_format: text.format }),
    };
  },
  reply: responseReply,
  events: responseEvents,
};

/** Calls belong to the message of the model before them. */
function messagesOf(input: readonly Item[]): readonly object[] {
  const messages: { role: string; content: unknown; tool_calls?: object[] }[] = [];
  for (const item of input) {
    if ('role' in item) {
      const { role, content } = item;
      messages.push({ role, content: typeof content === 'string' ? content : partsOf(content) });
    } else if (item.type === 'function_call_output') {
      messages.push({ role: 'tool', content: item.output });
    } else {
      if (messages.at(-1)?.role !== 'assistant') messages.push({ role: 'assistant', content: '' });
      const last = messages.at(-1);
      const call = { id: item.call_id, function: { name: item.name, arguments: item.arguments } };
      if (last) last.tool_calls = [...(last.tool_calls ?? []), call];
    }
  }
  return messages;
}

const partsOf = (parts: readonly z.infer<typeof partSchema>[]): readonly object[] =>
  parts.map((part) =>
    part.type === 'input_text'
      ? { type: 'text', text: part.text }
      : { type: 'image_url', image_url: { url: part.image_url } },
  );
