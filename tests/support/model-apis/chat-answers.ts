import { answersBy } from './provider-answer.js';

export const completion = (
  message: object,
  finishReason: string | null,
  more: object = {},
): object => ({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'odd-model',
  choices: [{ index: 0, finish_reason: finishReason, message: { role: 'assistant', ...message } }],
  usage: { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 },
  ...more,
});
const toolCall = (name: unknown, args: unknown, id: unknown = 'call_1'): object => ({
  ...{ id, type: 'function' },
  function: { name, arguments: args },
});
const answering = '{"answer": "42"}';
/** A reply that the usual text format reads as an answer. */
const goodText = '[Thought]: I know.\n[Action]:\nGenerateAnswer(answer="42")';

export const chat = answersBy('chat', [
  {
    name: 'filtered, null content',
    body: completion({ content: null }, 'content_filter'),
    finish: 'filtered',
    outcome: 'refused',
  },
  {
    name: 'refusal field',
    body: completion({ content: null, refusal: 'I cannot help with that.' }, 'stop'),
    finish: 'refused',
    outcome: 'refused',
  },
  {
    name: 'refusal as a reason of the end',
    body: completion({ content: 'No.' }, 'refusal'),
    finish: 'refused',
    outcome: 'refused',
  },
  {
    name: 'empty',
    body: completion({ content: '' }, 'stop'),
    finish: 'stop',
    outcome: 'unparseable',
  },
  {
    name: 'blank',
    body: completion({ content: ' \n' }, 'stop'),
    finish: 'stop',
    outcome: 'unparseable',
  },
  {
    name: 'no content at all',
    body: completion({}, null),
    finish: 'other',
    outcome: 'unparseable',
  },
  {
    name: 'reasoning only',
    body: completion({ content: '', reasoning_content: 'I think hard.' }, 'stop'),
    finish: 'stop',
    outcome: 'unparseable',
  },
  {
    name: 'reasoning in the text only',
    body: completion({ content: '<think>hm</think>' }, 'stop'),
    finish: 'stop',
    outcome: 'unparseable',
  },
  {
    name: 'cut off in its reasoning',
    body: completion({ content: null, reasoning: 'I think' }, 'length'),
    finish: 'length',
    outcome: 'unparseable',
  },
  {
    name: 'error in the choice, as OpenRouter reports it',
    body: completion({ content: 'The fo' }, 'error', {
      choices: [
        {
          index: 0,
          finish_reason: 'error',
          error: { code: 502, message: 'Upstream idle timeout exceeded' },
          message: { role: 'assistant', content: 'The fo' },
        },
      ],
      provider: 'Together',
    }),
    finish: 'error',
    outcome: 'unparseable',
  },
  {
    name: 'null for the tokens of the completion',
    body: completion({ content: '' }, 'stop', {
      usage: { prompt_tokens: 20, completion_tokens: null, total_tokens: 20 },
    }),
    finish: 'stop',
    outcome: 'unparseable',
    billed: [20, 0],
  },
  {
    name: 'counts as texts',
    body: completion({ content: '' }, 'stop', {
      usage: { prompt_tokens: '20', completion_tokens: '5' },
    }),
    finish: 'stop',
    outcome: 'unparseable',
  },
  {
    name: 'the total alone',
    body: completion({ content: '' }, 'stop', { usage: { total_tokens: 25 } }),
    finish: 'stop',
    outcome: 'unparseable',
    billed: [25, 0],
  },
  {
    name: 'written to the cache',
    body: completion({ content: '' }, 'stop', {
      usage: {
        prompt_tokens: 20,
        completion_tokens: 5,
        prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 10 },
      },
    }),
    finish: 'stop',
    outcome: 'unparseable',
  },
  {
    name: 'harmony channels',
    body: completion(
      {
        content: `<|channel|>analysis<|message|>I think.<|end|><|start|>assistant<|channel|>final<|message|>${goodText}`,
      },
      'stop',
    ),
    finish: 'stop',
    outcome: 'answered',
  },
  {
    name: 'harmony channels without a final one',
    body: completion({ content: '<|channel|>analysis<|message|>I think' }, 'length'),
    finish: 'length',
    outcome: 'unparseable',
  },
  {
    name: 'filtered, with a usable text',
    body: completion({ content: goodText }, 'content_filter'),
    finish: 'filtered',
    outcome: 'answered',
  },
  {
    name: 'declined, and answered all the same',
    body: completion({ content: goodText, refusal: 'I had rather not.' }, 'stop'),
    finish: 'refused',
    outcome: 'answered',
  },
  {
    name: 'no action, ever',
    body: completion({ content: 'I would search the store.' }, 'stop'),
    finish: 'stop',
    outcome: 'unparseable',
  },
  {
    name: 'tool calls that were not offered',
    body: completion({ content: null, tool_calls: [toolCall('look', '{}')] }, 'tool_calls'),
    finish: 'stop',
    outcome: 'unparseable',
  },
  {
    name: 'no choice, and a bill',
    body: completion({}, null, { choices: [] }),
    finish: 'error',
    outcome: 'unparseable',
  },
  {
    name: 'a choice with an error alone',
    body: completion({}, null, {
      choices: [{ index: 0, error: { code: 502, message: 'Upstream error' } }],
    }),
    finish: 'error',
    outcome: 'unparseable',
  },
  {
    name: 'one part that cannot be read beside a text',
    body: completion(
      {
        content: [
          { type: 'thinking', thinking: 7 },
          { type: 'text', text: goodText },
        ],
      },
      'stop',
    ),
    finish: 'stop',
    outcome: 'answered',
  },
  {
    name: 'moderated by OpenRouter',
    status: 403,
    body: {
      error: {
        code: 403,
        message: 'Your chosen model requires moderation and your input was flagged',
        metadata: { reasons: ['violence'], flagged_input: '…', provider_name: 'OpenAI' },
      },
    },
    finish: null,
    outcome: 'refused',
  },
  {
    name: 'filtered by Azure before it is asked',
    status: 400,
    body: {
      error: {
        code: 'content_filter',
        status: 400,
        message:
          "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
        innererror: { code: 'ResponsibleAIPolicyViolation' },
      },
    },
    finish: null,
    outcome: 'refused',
  },
  {
    name: 'larger than the limit',
    status: 429,
    headers: { 'x-ratelimit-limit-tokens': '300', 'x-ratelimit-remaining-tokens': '300' },
    body: {
      error: {
        message:
          'Request too large for odd-model in organization org-1 on tokens per min (TPM): Limit 300, Requested 2417. The input or output tokens must be reduced in order to run successfully.',
        type: 'tokens',
        param: null,
        code: 'rate_limit_exceeded',
      },
    },
    finish: null,
    outcome: 'infra-error',
  },
  {
    name: 'too long for xAI',
    status: 400,
    body: {
      code: 'Client specified an invalid argument',
      error: "This model's maximum prompt length is 131072 but the request contains 150000 tokens.",
    },
    finish: null,
    outcome: 'context-overflow',
  },
  {
    name: 'too long for OpenAI',
    status: 400,
    body: {
      error: {
        message: "This model's maximum context length is 8192 tokens.",
        type: 'invalid_request_error',
        code: 'context_length_exceeded',
      },
    },
    finish: null,
    outcome: 'context-overflow',
  },
  {
    name: 'a setting that FastAPI refuses',
    status: 422,
    body: {
      detail: [
        {
          loc: ['body', 'max_tokens'],
          msg: 'ensure this value is less than or equal to 1024',
          type: 'value_error.number.not_le',
        },
      ],
    },
    finish: null,
    outcome: 'infra-error',
  },
  {
    name: 'an unknown model',
    status: 404,
    body: { error: { message: 'The model `odd` does not exist', code: 'model_not_found' } },
    finish: null,
    outcome: 'infra-error',
  },
  {
    name: 'a refused key',
    status: 401,
    body: { error: { message: 'Incorrect API key provided', code: 'invalid_api_key' } },
    finish: null,
    outcome: 'infra-error',
  },
  {
    name: 'a server error',
    status: 500,
    body: { error: { message: 'The server had an error', type: 'server_error' } },
    finish: null,
    outcome: 'infra-error',
  },
  {
    name: 'broken JSON',
    body: '{"choices": [{"mess',
    finish: null,
    outcome: 'infra-error',
  },
]);

/** Replies with tool calls, and the actions or errors that are read of them, in order. */
export const toolReplies: readonly (readonly [
  name: string,
  toolCalls: readonly object[],
  read: readonly string[],
])[] = [
  ['encoded twice', [toolCall('GenerateAnswer', JSON.stringify(answering))], ['GenerateAnswer']],
  ['as an object', [toolCall('GenerateAnswer', { answer: '42' })], ['GenerateAnswer']],
  ['in a namespace', [toolCall('functions.GenerateAnswer', answering)], ['GenerateAnswer']],
  [
    'marked by a channel',
    [toolCall('GenerateAnswer<|channel|>commentary', answering)],
    ['GenerateAnswer'],
  ],
  [
    'in parallel',
    [
      toolCall('RetrieveFromDatabase', '{"sql": "SELECT 1"}'),
      toolCall('RetrieveFromDatabase', '{"sql": "SELECT 7"}', 'call_2'),
    ],
    ['RetrieveFromDatabase', 'RetrieveFromDatabase'],
  ],
  [
    'one without a name',
    [toolCall('RetrieveFromDatabase', '{"sql": "SELECT 1"}'), toolCall(null, '', 'call_2')],
    ['RetrieveFromDatabase', 'error'],
  ],
  [
    'an answer, and what comes too late',
    [
      toolCall('RetrieveFromDatabase', '{"sql": "SELECT 1"}'),
      toolCall('GenerateAnswer', answering, 'call_2'),
      toolCall('RetrieveFromDatabase', '{"sql": "SELECT 2"}', 'call_3'),
    ],
    ['RetrieveFromDatabase', 'GenerateAnswer'],
  ],
  ['none that can be read', [toolCall(null, null), { id: 'call_2' }], ['error']],
];
