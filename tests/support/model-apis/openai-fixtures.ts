import { sentTool, type ApiFixture, type RecordedReply } from './api-fixture.js';

const error = (
  status: number,
  code: string | null,
  message: string,
  type = 'invalid_request_error',
  headers = {},
): RecordedReply => ({ status, headers, body: { error: { message, type, param: null, code } } });

const errors = {
  keyHeader: ['authorization', 'Bearer sk-very-secret-0123456789'],
  wrongKey: error(401, 'invalid_api_key', 'Incorrect API key provided: sk-very-s***6789.'),
  unknownModel: error(404, 'model_not_found', 'The model `test-model` does not exist.'),
  limited: error(
    429,
    'rate_limit_exceeded',
    'Rate limit reached for test-model on tokens per min (TPM): Limit 30000.',
    'tokens',
    {
      'retry-after-ms': '7000',
      'retry-after': '7',
      'x-ratelimit-limit-tokens': '30000',
      'x-ratelimit-remaining-tokens': '0',
      'x-ratelimit-reset-tokens': '7s',
    },
  ),
  limits: {
    exceeded: 'tokens',
    exceededLimit: 30_000,
    limitTokens: 30_000,
    remainingTokens: 0,
    resetTokensMs: 7000,
  },
  overloaded: error(503, null, 'The engine is currently overloaded.', 'server_error', {
    'retry-after': '3',
  }),
  failed: error(500, null, 'The server had an error.', 'server_error'),
  overflow: error(
    400,
    'context_length_exceeded',
    'Your input exceeds the context window of this model.',
  ),
  unpaid: error(
    429,
    'insufficient_quota',
    'You exceeded your current quota.',
    'insufficient_quota',
  ),
  badSetting: error(400, 'unsupported_parameter', "Unsupported parameter: 'top_p'."),
} as const;

const completion = (message: object, finishReason: string, usage: object = {}): RecordedReply => ({
  body: {
    id: 'chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT',
    object: 'chat.completion',
    created: 1_741_569_952,
    model: 'test-model-2026',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: null, refusal: null, annotations: [], ...message },
        logprobs: null,
        finish_reason: finishReason,
      },
    ],
    usage: {
      prompt_tokens: 120,
      completion_tokens: 7,
      total_tokens: 127,
      prompt_tokens_details: { cached_tokens: 64, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
      ...usage,
    },
    service_tier: 'default',
  },
});

export const chatFixture: ApiFixture = {
  ...errors,
  api: 'chat',
  path: '/v1/chat/completions',
  text: completion({ content: 'The four tracks.' }, 'stop'),
  textReasoning: 0,
  servedBy: { serviceTier: 'default' },
  reasoned: completion({ content: 'yes', reasoning_content: 'hm' }, 'stop', {
    completion_tokens: 12,
    total_tokens: 132,
    completion_tokens_details: { reasoning_tokens: 5 },
  }),
  toolCall: completion(
    {
      content: 'Let me see.',
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } },
      ],
    },
    'tool_calls',
  ),
  cut: completion({ content: 'The four' }, 'length'),
  cutInReasoning: completion({ content: '' }, 'length'),
  filtered: completion({}, 'content_filter'),
  empty: completion({ content: '' }, 'stop'),
  other: { object: 'list', data: [] },
  sent: {
    model: 'test-model',
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Which?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'seen' },
      { role: 'user', content: 'And now?' },
    ],
    tools: [{ type: 'function', function: sentTool }],
    temperature: 0.7,
    top_p: 0.95,
    max_tokens: 1500,
  },
};

const response = (
  output: readonly object[],
  reason: string | null = null,
  usage: object = {},
): RecordedReply => ({
  body: {
    id: 'resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b',
    object: 'response',
    created_at: 1_741_476_542,
    status: reason === null ? 'completed' : 'incomplete',
    error: null,
    incomplete_details: reason === null ? null : { reason },
    instructions: null,
    max_output_tokens: 1500,
    model: 'test-model-2026',
    output,
    parallel_tool_calls: true,
    store: false,
    usage: {
      input_tokens: 120,
      input_tokens_details: { cached_tokens: 64 },
      output_tokens: 7,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 127,
      ...usage,
    },
  },
});

const message = (text: string): object => ({
  type: 'message',
  id: 'msg_67ccd2bf17f0819081ff3bb2cf6508e6',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
});

export const responsesFixture: ApiFixture = {
  ...errors,
  api: 'responses',
  path: '/v1/responses',
  text: response([message('The four tracks.')]),
  textReasoning: 0,
  reasoned: response(
    [
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'hm' }] },
      message('yes'),
    ],
    null,
    { output_tokens: 12, output_tokens_details: { reasoning_tokens: 5 }, total_tokens: 132 },
  ),
  toolCall: response([
    message('Let me see.'),
    {
      type: 'function_call',
      id: 'fc_12345xyz',
      call_id: 'call_1',
      name: 'look',
      arguments: '{"at":1}',
      status: 'completed',
    },
  ]),
  cut: response([message('The four')], 'max_output_tokens'),
  cutInReasoning: response([{ type: 'reasoning', id: 'rs_1', summary: [] }], 'max_output_tokens'),
  filtered: response([], 'content_filter'),
  empty: response([message('')]),
  other: { object: 'response', status: 'completed' },
  sent: {
    model: 'test-model',
    input: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Which?' },
          { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
        ],
      },
      { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{"at":1}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'seen' },
      { role: 'user', content: 'And now?' },
    ],
    store: false,
    tools: [{ type: 'function', ...sentTool, strict: false }],
    temperature: 0.7,
    top_p: 0.95,
    max_output_tokens: 1500,
  },
};
