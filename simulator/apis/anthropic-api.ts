import { z } from 'zod';
import { simulatedFingerprint } from '../../domain/models/chat-message.js';
import { durationMs } from '../../domain/rate-limits/stated-limits.js';
import {
  piecesOf,
  textIn,
  type SimulatedApi,
  type SimulatedError,
  type SimulatedReply,
} from './simulated-api.js';

const textSchema = z.object({
  type: z.literal('text'),
  text: z.string().regex(/\S/, 'must not be blank'),
});
const blockSchema = z.discriminatedUnion('type', [
  textSchema,
  z.object({
    type: z.literal('image'),
    source: z.object({ type: z.literal('base64'), media_type: z.string(), data: z.string() }),
  }),
  z.object({
    type: z.literal('tool_use'),
    id: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.json()),
  }),
  z.object({ type: z.literal('tool_result'), tool_use_id: z.string(), content: z.string() }),
]);
type Block = z.infer<typeof blockSchema>;

const messageSchema = z.strictObject({
  role: z.enum(['user', 'assistant']),
  content: z.array(blockSchema).min(1),
});

const requestSchema = z.looseObject({
  system: z
    .union([
      z.string(),
      z.array(textSchema).transform((blocks) => blocks.map(({ text }) => text).join('\n')),
    ])
    .optional(),
  messages: z
    .array(messageSchema)
    .min(1)
    .refine(([first]) => first?.role === 'user', 'the first message must be of the user'),
  max_tokens: z.int().positive(),
  tools: z
    .array(
      z.strictObject({
        name: z.string(),
        description: z.string(),
        input_schema: z.record(z.string(), z.json()),
      }),
    )
    .optional(),
  seed: z.undefined().optional(),
});

// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- `events` takes it apart
const reply = ({ number, model, message, tokens }: SimulatedReply) => {
  const text = textIn(message);
  return {
    id: `msg_${number}_${simulatedFingerprint}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [
      ...(text === '' ? [] : [{ type: 'text' as const, text }]),
      ...(message.tool_calls ?? []).map(({ id, function: call }) => ({
        type: 'tool_use' as const,
        id,
        name: call.name,
        input: JSON.parse(call.arguments) as unknown,
      })),
    ],
    stop_reason: message.tool_calls ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: tokens.prompt - tokens.cached - tokens.written,
      cache_creation_input_tokens: tokens.written,
      cache_read_input_tokens: tokens.cached,
      output_tokens: tokens.completion,
    },
  };
};

const events: SimulatedApi['events'] = (sent) => {
  const { content, usage, stop_reason, ...message } = reply(sent);
  const start = { ...usage, output_tokens: 1 };
  return [
    { type: 'message_start', message: { ...message, content: [], usage: start } },
    ...content.flatMap((block, index) => {
      const [empty, deltas] =
        block.type === 'text'
          ? [{ ...block, text: '' }, textDeltas(block.text)]
          : [{ ...block, input: {} }, inputDeltas(JSON.stringify(block.input))];
      return [
        { type: 'content_block_start', index, content_block: empty },
        ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
        { type: 'content_block_stop', index },
      ];
    }),
    {
      type: 'message_delta',
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: usage.output_tokens },
    },
    { type: 'message_stop' },
  ];
};

const textDeltas = (text: string): readonly object[] =>
  piecesOf(text).map((piece) => ({ type: 'text_delta', text: piece }));
const inputDeltas = (json: string): readonly object[] =>
  piecesOf(json).map((piece) => ({ type: 'input_json_delta', partial_json: piece }));

/** Anthropic's Messages API. */
export const anthropicApi: SimulatedApi = {
  asChat: (body) => {
    const { system, messages, tools, ...rest } = requestSchema.parse(body);
    return {
      ...rest,
      messages: [
        ...(system === undefined ? [] : [{ role: 'system', content: system }]),
        ...messages.flatMap(messagesOf),
      ],
      ...(tools && {
        tools: tools.map(({ input_schema: parameters, ...tool }) => ({
          type: 'function',
          function: { ...tool, parameters },
        })),
      }),
    };
  },
  error: (error) => ({
    type: 'error',
    error: { type: errorType(error), message: error.message },
    request_id: 'req_simulated',
  }),
  overloadStatus: 529,
  keyStatus: 401,
  sendsRetryAfter: true,
  headers: (headers, nowMs) =>
    Object.fromEntries(
      Object.entries(headers).flatMap(([name, value]): [string, string][] => {
        const [, what, kind] = /^x-ratelimit-(\w+)-(\w+)$/.exec(name) ?? [];
        if (what === undefined || kind === undefined) return [[name, value]];
        const at = (): string => new Date(nowMs + (durationMs(value) ?? 0)).toISOString();
        return [[`anthropic-ratelimit-${kind}-${what}`, what === 'reset' ? at() : value]];
      }),
    ),
  reply,
  events,
};

function errorType({ status, code }: SimulatedError): string {
  if (status === 401) return 'authentication_error';
  if (status === 429) return 'rate_limit_error';
  if (code === 'overloaded') return 'overloaded_error';
  return status >= 500 ? 'api_error' : 'invalid_request_error';
}

/** Results of tools come first in the message of a user. */
function messagesOf({ role, content }: z.infer<typeof messageSchema>): readonly object[] {
  const results = content.flatMap((block) =>
    block.type === 'tool_result' ? [{ role: 'tool', content: block.content }] : [],
  );
  const others = content.filter(({ type }) => type !== 'tool_result');
  if (others.length === 0) return results;
  const calls = others.flatMap((block) =>
    block.type === 'tool_use'
      ? [
          {
            id: block.id,
            function: { name: block.name, arguments: JSON.stringify(block.input) },
          },
        ]
      : [],
  );
  return [
    ...results,
    { role, content: others.flatMap(partOf), ...(calls.length > 0 && { tool_calls: calls }) },
  ];
}

function partOf(block: Block): readonly object[] {
  if (block.type === 'text') return [block];
  if (block.type !== 'image') return [];
  const { media_type: type, data } = block.source;
  return [{ type: 'image_url', image_url: { url: `data:${type};base64,${data}` } }];
}
