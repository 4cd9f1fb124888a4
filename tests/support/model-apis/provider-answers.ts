import { chat } from './chat-answers.js';
import { answersBy, type ProviderAnswer } from './provider-answer.js';

const response = (output: readonly object[], more: object = {}): object => ({
  id: 'resp',
  object: 'response',
  status: 'completed',
  model: 'odd-model',
  output,
  usage: { input_tokens: 20, output_tokens: 5, total_tokens: 25 },
  ...more,
});
const said = (type: 'output_text' | 'refusal', words: string): object => ({
  type: 'message',
  role: 'assistant',
  content: [{ type, [type === 'refusal' ? 'refusal' : 'text']: words }],
});

const responses = answersBy('responses', [
  {
    name: 'refusal',
    body: response([said('refusal', 'I cannot help with that.')]),
    finish: 'refused',
    outcome: 'refused',
  },
  {
    name: 'filtered',
    body: response([], { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }),
    finish: 'filtered',
    outcome: 'refused',
  },
  { name: 'nothing', body: response([]), finish: 'stop', outcome: 'unparseable' },
  {
    name: 'reasoning only',
    body: response([{ type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] }]),
    finish: 'stop',
    outcome: 'unparseable',
  },
  {
    name: 'cut off',
    body: response([{ type: 'reasoning', summary: [] }], {
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    }),
    finish: 'length',
    outcome: 'unparseable',
  },
  {
    name: 'failed after it wrote',
    body: response([said('output_text', 'The fo')], {
      status: 'failed',
      error: { code: 'server_error', message: 'The model failed.' },
    }),
    finish: 'error',
    outcome: 'unparseable',
  },
  {
    name: 'written to the cache',
    body: response([], {
      usage: {
        input_tokens: 20,
        output_tokens: 5,
        input_tokens_details: { cached_tokens: 2, cache_write_tokens: 8 },
      },
    }),
    finish: 'stop',
    outcome: 'unparseable',
  },
]);

const message = (content: readonly object[], stopReason: string, usage: object = {}): object => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'odd-model',
  content,
  stop_reason: stopReason,
  usage: { input_tokens: 20, output_tokens: 5, ...usage },
});

const anthropic = answersBy('anthropic', [
  { name: 'refusal', body: message([], 'refusal'), finish: 'refused', outcome: 'refused' },
  {
    name: 'refusal with words',
    body: message([{ type: 'text', text: 'I will not.' }], 'refusal'),
    finish: 'refused',
    outcome: 'refused',
  },
  { name: 'empty', body: message([], 'end_turn'), finish: 'stop', outcome: 'unparseable' },
  {
    name: 'thinking only',
    body: message([{ type: 'thinking', thinking: 'hm', signature: 'E' }], 'end_turn'),
    finish: 'stop',
    outcome: 'unparseable',
  },
  {
    name: 'cut off',
    body: message([{ type: 'thinking', thinking: '', signature: 'E' }], 'max_tokens'),
    finish: 'length',
    outcome: 'unparseable',
  },
  {
    name: 'no content',
    body: { ...message([], 'end_turn'), content: null },
    finish: 'error',
    outcome: 'unparseable',
  },
  {
    name: 'written to both caches',
    body: message([], 'end_turn', {
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
      cache_read_input_tokens: 50,
    }),
    finish: 'stop',
    outcome: 'unparseable',
    billed: [100, 5],
  },
  {
    name: 'too long',
    status: 400,
    body: {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: 'prompt is too long: 210000 tokens > 200000 maximum',
      },
    },
    finish: null,
    outcome: 'context-overflow',
  },
]);

const candidate = (parts: readonly object[] | undefined, finishReason: string): object => ({
  candidates: [{ content: parts ? { parts, role: 'model' } : { role: 'model' }, finishReason }],
  usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 5, totalTokenCount: 25 },
  modelVersion: 'odd-model',
  responseId: 'r',
});

const gemini = answersBy('gemini', [
  { name: 'SAFETY', body: candidate(undefined, 'SAFETY'), finish: 'filtered', outcome: 'refused' },
  {
    name: 'RECITATION',
    body: candidate(undefined, 'RECITATION'),
    finish: 'filtered',
    outcome: 'refused',
  },
  {
    name: 'a blocked prompt',
    body: {
      promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
      usageMetadata: { promptTokenCount: 20, totalTokenCount: 20 },
      modelVersion: 'odd-model',
    },
    finish: 'filtered',
    outcome: 'refused',
    billed: [20, 0],
  },
  {
    name: 'a malformed call',
    body: candidate(undefined, 'MALFORMED_FUNCTION_CALL'),
    finish: 'error',
    outcome: 'unparseable',
  },
  {
    name: 'empty',
    body: candidate([{ text: '' }], 'STOP'),
    finish: 'stop',
    outcome: 'unparseable',
  },
  {
    name: 'thoughts only',
    body: candidate([{ text: 'hm', thought: true }], 'STOP'),
    finish: 'stop',
    outcome: 'unparseable',
  },
  {
    name: 'cut off',
    body: candidate(undefined, 'MAX_TOKENS'),
    finish: 'length',
    outcome: 'unparseable',
  },
]);

export const providerAnswers: readonly ProviderAnswer[] = [
  ...chat,
  ...responses,
  ...anthropic,
  ...gemini,
];
