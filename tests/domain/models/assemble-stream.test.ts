import { describe, expect, it } from 'vitest';
import { assembleStream } from '../../../domain/models/apis/assemble-stream.js';

/** Server-sent events of these data. */
const sse = (...data: readonly (object | string)[]): string =>
  data.map((one) => `data: ${typeof one === 'string' ? one : JSON.stringify(one)}\n\n`).join('');
const delta = (piece: object, finishReason: string | null = null): object => ({
  id: 'c',
  object: 'chat.completion.chunk',
  model: 'm',
  choices: [{ index: 0, delta: piece, finish_reason: finishReason }],
});
const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const counted = { id: 'c', model: 'm', provider: 'Acme', choices: [], usage };

describe('a stream of a chat completion', () => {
  const call = (index: number | undefined, id: string | undefined, args: string): object => ({
    ...(index !== undefined && { index }),
    ...(id !== undefined && { id, type: 'function' }),
    function: { ...(id !== undefined && { name: 'look' }), arguments: args },
  });

  it('becomes the completion, with its usage and who sent it', () => {
    const body = `: OPENROUTER PROCESSING\r\n\r\n${sse(
      delta({ role: 'assistant', content: '' }),
      delta({ reasoning: 'h' }),
      delta({ reasoning: 'm' }),
      delta({ content: 'The four ' }),
      delta({ content: 'tracks.' }),
      delta({ content: null }, 'stop'),
      counted,
      '[DONE]',
    )}`;
    expect(assembleStream('chat', body)).toEqual({
      kind: 'whole',
      json: {
        id: 'c',
        object: 'chat.completion',
        model: 'm',
        provider: 'Acme',
        usage,
        choices: [
          {
            index: 0,
            finish_reason: 'stop',
            message: { role: 'assistant', content: 'The four tracks.', reasoning: 'hm' },
          },
        ],
      },
    });
  });

  it.each<[string, readonly object[]]>([
    [
      'of OpenAI',
      [call(0, 'a', ''), call(0, undefined, '{"n"'), call(0, undefined, ':1}'), call(1, 'b', '{}')],
    ],
    ['that is numbered alike', [call(0, 'a', '{"n":1}'), call(0, 'b', '{}')]],
    ['without numbers', [call(undefined, 'a', '{"n":1}'), call(undefined, 'b', '{}')]],
    [
      'whose id and name are repeated',
      [call(0, 'a', '{"n"'), call(0, 'a', ':1}'), call(1, 'b', '{}')],
    ],
  ])('keeps several calls apart: %s', (_, calls) => {
    const streamed = assembleStream(
      'chat',
      sse(...calls.map((one) => delta({ tool_calls: [one] })), delta({}, 'tool_calls'), '[DONE]'),
    );
    expect(streamed).toMatchObject({
      kind: 'whole',
      json: {
        choices: [
          {
            message: {
              tool_calls: [
                { id: 'a', function: { name: 'look', arguments: '{"n":1}' } },
                { id: 'b', function: { name: 'look', arguments: '{}' } },
              ],
            },
          },
        ],
      },
    });
  });

  it('is whole without a mark of its end if its usage came', () => {
    const body = sse(delta({ content: 'x' }), delta({}, 'stop'), counted);
    expect(assembleStream('chat', body)?.kind).toBe('whole');
  });

  it.each([
    ['in the middle of a text', sse(delta({ content: 'x' }))],
    ['before its usage', sse(delta({ content: 'x' }), delta({}, 'stop'))],
    ['in the middle of an event', `${sse(delta({ content: 'x' }))}data: {"cho`],
    ['before anything', ': waiting\n\n'],
  ])('is cut where it ends %s', (_, body) => {
    expect(assembleStream('chat', body)).toEqual({ kind: 'cut' });
  });

  it('ends with an error of its provider', () => {
    const error = { code: 502, message: 'Upstream died' };
    const late = { ...delta({ content: '' }, 'error'), error };
    expect(assembleStream('chat', sse(delta({ content: 'x' }), late, '[DONE]'))).toEqual({
      kind: 'failed',
      json: { error },
      hasText: true,
    });
    expect(assembleStream('chat', sse({ error }))).toMatchObject({ hasText: false });
  });
});

it.each(['{"choices": []}', '', '<html></html>', 'no data: here'])(
  'takes %j for no stream',
  (body) => {
    expect(assembleStream('chat', body)).toBeUndefined();
  },
);

describe('a stream of the Responses API', () => {
  const response = { id: 'r', status: 'completed', output: [] };

  it.each(['completed', 'incomplete', 'failed'])('ends with the response that is %s', (status) => {
    const body = sse(
      { type: 'response.created', response: { ...response, status: 'in_progress' } },
      { type: 'response.output_text.delta', delta: 'x' },
      { type: `response.${status}`, response: { ...response, status } },
    );
    expect(assembleStream('responses', body)).toEqual({
      kind: 'whole',
      json: { ...response, status },
    });
  });

  it('is cut without it, or ends with an error', () => {
    const begun = { type: 'response.created', response };
    expect(assembleStream('responses', sse(begun))).toEqual({ kind: 'cut' });
    const error = { type: 'error', code: 'server_error', message: 'x' };
    expect(assembleStream('responses', sse(begun, error))).toMatchObject({
      kind: 'failed',
      json: { error },
    });
  });
});

describe("a stream of Anthropic's messages", () => {
  const start = {
    type: 'message_start',
    message: {
      id: 'm',
      type: 'message',
      content: [],
      stop_reason: null,
      usage: { input_tokens: 9, cache_creation_input_tokens: 4, output_tokens: 1 },
    },
  };
  const block = (index: number, empty: object, ...deltas: readonly object[]): readonly object[] => [
    { type: 'content_block_start', index, content_block: empty },
    ...deltas.map((one) => ({ type: 'content_block_delta', index, delta: one })),
    { type: 'content_block_stop', index },
  ];
  const end = [
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 7 } },
    { type: 'message_stop' },
  ];

  it('becomes the message, with the usage of its end', () => {
    const body = sse(
      start,
      { type: 'ping' },
      ...block(
        0,
        { type: 'thinking', thinking: '', signature: '' },
        { type: 'thinking_delta', thinking: 'hm' },
        { type: 'signature_delta', signature: 'E3' },
      ),
      ...block(
        1,
        { type: 'text', text: '' },
        { type: 'text_delta', text: 'Let me ' },
        { type: 'text_delta', text: 'see.' },
      ),
      ...block(
        2,
        { type: 'tool_use', id: 't', name: 'look', input: {} },
        { type: 'input_json_delta', partial_json: '' },
        { type: 'input_json_delta', partial_json: '{"at"' },
        { type: 'input_json_delta', partial_json: ':1}' },
      ),
      ...end,
    );
    expect(assembleStream('anthropic', body)).toEqual({
      kind: 'whole',
      json: {
        ...start.message,
        stop_reason: 'tool_use',
        usage: { input_tokens: 9, cache_creation_input_tokens: 4, output_tokens: 7 },
        content: [
          { type: 'thinking', thinking: 'hm', signature: 'E3' },
          { type: 'text', text: 'Let me see.' },
          { type: 'tool_use', id: 't', name: 'look', input: { at: 1 } },
        ],
      },
    });
  });

  it('is cut without its end, or ends with an error', () => {
    expect(assembleStream('anthropic', sse(start))).toEqual({ kind: 'cut' });
    const error = { type: 'overloaded_error', message: 'Overloaded' };
    expect(assembleStream('anthropic', sse(start, { type: 'error', error }))).toMatchObject({
      kind: 'failed',
      json: { error },
    });
  });
});

describe('a stream of Gemini', () => {
  const chunk = (parts: readonly object[], finishReason?: string): object => ({
    candidates: [
      { content: { role: 'model', parts }, index: 0, ...(finishReason && { finishReason }) },
    ],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2 },
    modelVersion: 'm',
  });

  it('becomes one reply', () => {
    const body = sse(chunk([{ text: 'The ' }]), chunk([{ text: 'four' }, { text: '.' }], 'STOP'));
    expect(assembleStream('gemini', body)).toEqual({
      kind: 'whole',
      json: chunk([{ text: 'The ' }, { text: 'four' }, { text: '.' }], 'STOP'),
    });
  });

  it('is whole where the prompt is blocked, and cut without a reason of its end', () => {
    const blocked = { promptFeedback: { blockReason: 'SAFETY' } };
    expect(assembleStream('gemini', sse(blocked))).toEqual({ kind: 'whole', json: blocked });
    expect(assembleStream('gemini', sse(chunk([{ text: 'The ' }])))).toEqual({ kind: 'cut' });
  });
});
