import { sentTool, type ApiFixture, type RecordedReply } from './api-fixture.js';

const message = (
  content: readonly object[],
  stopReason: string,
  usage: object = {},
): RecordedReply => ({
  body: {
    id: 'msg_0132',
    type: 'message',
    role: 'assistant',
    model: 'test-model-2026',
    content,
    stop_reason: stopReason,
    stop_sequence: null,
    usage: {
      input_tokens: 40,
      cache_creation_input_tokens: 16,
      cache_read_input_tokens: 64,
      output_tokens: 7,
      service_tier: 'standard',
      ...usage,
    },
  },
});

const error = (status: number, type: string, words: string, headers = {}): RecordedReply => ({
  status,
  headers: { 'request-id': 'req_0111', ...headers },
  body: {
    type: 'error',
    error: { type, message: words },
    request_id: 'req_0111',
  },
});

export const anthropicFixture: ApiFixture = {
  api: 'anthropic',
  path: '/v1/messages',
  keyHeader: ['x-api-key', 'sk-very-secret-0123456789'],
  text: message([{ type: 'text', text: 'The four tracks.' }], 'end_turn'),
  textReasoning: undefined,
  textTokens: { cacheWritten: 16 },
  servedBy: { serviceTier: 'standard' },
  reasoned: message(
    [
      { type: 'thinking', thinking: 'hm', signature: 'E31' },
      { type: 'redacted_thinking', data: 'E32' },
      { type: 'text', text: 'yes' },
    ],
    'end_turn',
    { output_tokens: 12, output_tokens_details: { thinking_tokens: 5 } },
  ),
  toolCall: message(
    [
      { type: 'text', text: 'Let me see.' },
      { type: 'tool_use', id: 'call_1', name: 'look', input: { at: 1 } },
    ],
    'tool_use',
  ),
  cut: message([{ type: 'text', text: 'The four' }], 'max_tokens'),
  cutInReasoning: message([{ type: 'thinking', thinking: '', signature: 'E' }], 'max_tokens'),
  filtered: message([], 'refusal'),
  empty: message([], 'end_turn'),
  other: { type: 'completion', completion: 'Hello' },
  wrongKey: error(401, 'authentication_error', 'invalid x-api-key'),
  unknownModel: error(404, 'not_found_error', 'model: test-model'),
  limited: error(
    429,
    'rate_limit_error',
    "This request would exceed your organization's rate limit of 30,000 input tokens per minute.",
    {
      'retry-after': '7',
      'anthropic-ratelimit-requests-limit': '50',
      'anthropic-ratelimit-requests-remaining': '49',
      'anthropic-ratelimit-tokens-limit': '30000',
      'anthropic-ratelimit-tokens-remaining': '0',
    },
  ),
  limits: {
    exceeded: 'tokens',
    exceededLimit: 30_000,
    limitRequests: 50,
    remainingRequests: 49,
    limitTokens: 30_000,
    remainingTokens: 0,
  },
  overloaded: error(529, 'overloaded_error', 'Overloaded', { 'retry-after': '3' }),
  failed: error(500, 'api_error', 'Internal server error'),
  overflow: error(
    400,
    'invalid_request_error',
    'prompt is too long: 210000 tokens > 200000 maximum',
  ),
  unpaid: error(
    400,
    'invalid_request_error',
    'Your credit balance is too low to access the Anthropic API.',
  ),
  badSetting: error(400, 'invalid_request_error', '`top_p` is deprecated for this model.'),
  sent: {
    model: 'test-model',
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Which?' },
          {
            type: 'image',
            source: { type: 'base64', media_type: 'image/png', data: 'AAAA' },
          },
        ],
      },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'call_1', name: 'look', input: { at: 1 } }],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'call_1', content: 'seen' },
          { type: 'text', text: 'And now?', cache_control: { type: 'ephemeral' } },
        ],
      },
    ],
    tools: [{ name: 'look', description: 'looks', input_schema: sentTool.parameters }],
    temperature: 0.7,
    top_p: 0.95,
    max_tokens: 1500,
  },
};
