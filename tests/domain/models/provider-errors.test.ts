import { describe, expect, it } from 'vitest';
import {
  classifyError,
  lateStatus,
  readProviderError,
  type Refusal,
} from '../../../domain/models/provider-errors.js';

const openai = (message: string, type: string, code: string | number | null = null): object => ({
  error: { message, type, param: null, code },
});
const anthropic = (type: string, message: string): object => ({
  type: 'error',
  error: { type, message },
  request_id: 'req_011',
});
const google = (code: number, status: string, message: string, details: object[] = []): object => ({
  error: { code, message, status, details },
});
const vllm = (message: string, type = 'BadRequestError', code = 400): object => ({
  object: 'error',
  message,
  type,
  param: null,
  code,
});

/** Errors as their providers and servers send them. */
const errors: readonly (readonly [Refusal, string, number, unknown])[] = [
  // The context is too long.
  [
    'ContextOverflow',
    'OpenAI',
    400,
    openai(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 150000 tokens.",
      'invalid_request_error',
      'context_length_exceeded',
    ),
  ],
  [
    'ContextOverflow',
    'OpenAI Responses',
    400,
    openai(
      'Your input exceeds the context window of this model. Please adjust your input and try again.',
      'invalid_request_error',
      'context_length_exceeded',
    ),
  ],
  [
    'ContextOverflow',
    'OpenAI: a string',
    400,
    openai(
      "Invalid 'input[0].content': string too long.",
      'invalid_request_error',
      'string_above_max_length',
    ),
  ],
  [
    'ContextOverflow',
    'Azure',
    400,
    openai(
      "This model's maximum context length is 16385 tokens. However, you requested 17901 tokens (17389 in the messages, 512 in the completion).",
      'invalid_request_error',
      'context_length_exceeded',
    ),
  ],
  [
    'ContextOverflow',
    'xAI',
    400,
    {
      code: 'Client specified an invalid argument',
      error: "This model's maximum prompt length is 131072 but the request contains 150000 tokens.",
    },
  ],
  [
    'ContextOverflow',
    'Anthropic',
    400,
    anthropic('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
  ],
  [
    'ContextOverflow',
    'Anthropic: with the completion',
    400,
    anthropic(
      'invalid_request_error',
      'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again',
    ),
  ],
  [
    'ContextOverflow',
    'Gemini',
    400,
    google(
      400,
      'INVALID_ARGUMENT',
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    ),
  ],
  [
    'ContextOverflow',
    "Gemini's compatible endpoint",
    400,
    [
      google(
        400,
        'INVALID_ARGUMENT',
        'The input token count exceeds the maximum number of tokens allowed 1048576.',
      ),
    ],
  ],
  [
    'ContextOverflow',
    'Mistral',
    400,
    {
      object: 'error',
      message:
        'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
      type: 'invalid_request_prompt',
      param: null,
      code: '3051',
    },
  ],
  [
    'ContextOverflow',
    'DeepSeek',
    400,
    openai(
      "This model's maximum context length is 65536 tokens. However, you requested 70000 tokens.",
      'invalid_request_error',
      'invalid_request_error',
    ),
  ],
  [
    'ContextOverflow',
    'Groq',
    400,
    openai(
      'Please reduce the length of the messages or completion.',
      'invalid_request_error',
      'context_length_exceeded',
    ),
  ],
  [
    'ContextOverflow',
    'Cerebras',
    400,
    {
      message:
        'Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192',
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    },
  ],
  [
    'ContextOverflow',
    'Together',
    422,
    openai(
      'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 3950 `inputs` tokens and 512 `max_new_tokens`',
      'invalid_request_error',
    ),
  ],
  [
    'ContextOverflow',
    'Fireworks',
    400,
    openai(
      'The prompt is too long: 40000, model maximum context length: 32767',
      'invalid_request_error',
    ),
  ],
  [
    'ContextOverflow',
    'Cohere',
    400,
    {
      message:
        'too many tokens: total number of tokens in the prompt cannot exceed 128000 - received 130000.',
    },
  ],
  [
    'ContextOverflow',
    'Moonshot',
    400,
    openai(
      'Invalid request: Your request exceeded model token limit: 131072 (requested: 150000)',
      'invalid_request_error',
    ),
  ],
  [
    'ContextOverflow',
    'Alibaba',
    400,
    openai(
      'Range of input length should be [1, 30720]',
      'invalid_request_error',
      'invalid_parameter_error',
    ),
  ],
  [
    'ContextOverflow',
    'OpenRouter, in the words of an upstream',
    400,
    {
      error: {
        message: 'Provider returned error',
        code: 400,
        metadata: {
          raw: '{"error":{"message":"prompt is too long: 9 tokens > 8 maximum"}}',
          provider_name: 'Anthropic',
        },
      },
    },
  ],
  [
    'ContextOverflow',
    'vLLM',
    400,
    vllm(
      "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens in the messages.",
    ),
  ],
  [
    'ContextOverflow',
    'vLLM: the decoder',
    400,
    {
      error: vllm(
        'The decoder prompt (length 9000) is longer than the maximum model length of 8192.',
      ),
    },
  ],
  [
    'ContextOverflow',
    'SGLang',
    400,
    vllm("Requested token count exceeds the model's maximum context length of 32768 tokens."),
  ],
  [
    'ContextOverflow',
    'SGLang: the input',
    400,
    vllm("The input (40000 tokens) is longer than the model's context length (32768 tokens)."),
  ],
  [
    'ContextOverflow',
    'TGI',
    422,
    {
      error:
        'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 and 512',
      error_type: 'validation',
    },
  ],
  [
    'ContextOverflow',
    'llama.cpp',
    400,
    {
      error: {
        code: 400,
        message: 'the request exceeds the available context size, try increasing it',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 9000,
        n_ctx: 4096,
      },
    },
  ],
  [
    'ContextOverflow',
    'llama.cpp before',
    500,
    {
      error: {
        code: 500,
        message:
          'the request exceeds the available context size. try increasing the context size or enable context shift',
        type: 'server_error',
      },
    },
  ],
  ['ContextOverflow', 'Ollama', 500, { error: 'input length exceeds maximum context length' }],
  [
    'ContextOverflow',
    'LM Studio',
    400,
    {
      error:
        'Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.',
    },
  ],
  [
    'ContextOverflow',
    'LiteLLM',
    400,
    openai(
      'litellm.ContextWindowExceededError: litellm.BadRequestError: OpenAIException - too long',
      'null',
      '400',
    ),
  ],
  [
    'ContextOverflow',
    'Bedrock',
    400,
    { __type: 'ValidationException', message: 'Input is too long for requested model.' },
  ],
  [
    'ContextOverflow',
    'GitHub Models',
    413,
    openai(
      'Request body too large for gpt-4o model. Max size: 8000 tokens.',
      'x',
      'tokens_limit_reached',
    ),
  ],
  [
    'ContextOverflow',
    'nginx',
    413,
    '<html><head><title>413 Request Entity Too Large</title></head></html>',
  ],
  // The request is larger than a limit of the account.
  [
    'ModelRequestTooLarge',
    'OpenAI',
    429,
    openai(
      'Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 37313. The input or output tokens must be reduced in order to run successfully.',
      'tokens',
      'rate_limit_exceeded',
    ),
  ],
  [
    'ModelRequestTooLarge',
    'Groq',
    413,
    openai(
      'Request too large for model `llama-3.1-8b` in organization `org` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 9000, please reduce your message size and try again.',
      'tokens',
      'rate_limit_exceeded',
    ),
  ],
  [
    'ModelRequestTooLarge',
    'OpenAI: a limit of a day',
    429,
    openai(
      'Rate limit reached for x on tokens per day (TPD): Limit 100,000, Used 0, Requested 120,000.',
      'tokens',
      'rate_limit_exceeded',
    ),
  ],
  [
    'ModelRequestTooLarge',
    'Anthropic',
    413,
    anthropic('request_too_large', 'Request exceeds the maximum size'),
  ],
  // Another time there is room.
  [
    'ModelRateLimited',
    'OpenAI',
    429,
    openai(
      'Rate limit reached for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Used 29000, Requested 3000. Please try again in 4s.',
      'tokens',
      'rate_limit_exceeded',
    ),
  ],
  [
    'ModelRateLimited',
    'Azure',
    429,
    {
      error: {
        code: '429',
        message:
          'Requests to the ChatCompletions_Create Operation have exceeded token rate limit of your current pricing tier. Please retry after 86400 seconds.',
      },
    },
  ],
  [
    'ModelRateLimited',
    'Anthropic',
    429,
    anthropic(
      'rate_limit_error',
      "This request would exceed your organization's rate limit of 30,000 input tokens per minute.",
    ),
  ],
  [
    'ModelRateLimited',
    'Gemini',
    429,
    [
      google(
        429,
        'RESOURCE_EXHAUSTED',
        'You exceeded your current quota, please check your plan and billing details.',
      ),
    ],
  ],
  ['ModelRateLimited', 'Mistral', 429, { message: 'Requests rate limit exceeded' }],
  [
    'ModelRateLimited',
    'OpenRouter',
    429,
    {
      error: {
        message: 'Provider returned error',
        code: 429,
        metadata: {
          raw: 'qwen/qwen3 is temporarily rate-limited upstream. Please retry shortly.',
          provider_name: 'Chutes',
        },
      },
    },
  ],
  [
    'ModelRateLimited',
    'Bedrock',
    429,
    { message: 'Too many tokens, please wait before trying again.' },
  ],
  [
    'ModelRateLimited',
    'Bedrock as a bad request',
    400,
    { __type: 'ThrottlingException', message: 'Rate exceeded' },
  ],
  ['ModelRateLimited', 'Cloudflare', 429, 'error code: 1015'],
  [
    'ModelRateLimited',
    'Cohere',
    429,
    { message: 'Trial tokens are limited to 40 calls per minute.' },
  ],
  // Moderation.
  [
    'ModelModerated',
    'Azure',
    400,
    {
      error: {
        message:
          "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.",
        type: null,
        param: 'prompt',
        code: 'content_filter',
        status: 400,
        innererror: {
          code: 'ResponsibleAIPolicyViolation',
          content_filter_result: { violence: { filtered: true } },
        },
      },
    },
  ],
  [
    'ModelModerated',
    'OpenAI',
    400,
    openai(
      'Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try again with a different prompt.',
      'invalid_request_error',
      'invalid_prompt',
    ),
  ],
  [
    'ModelModerated',
    'OpenRouter',
    403,
    {
      error: {
        code: 403,
        message:
          'openai/gpt-4o requires moderation on OpenAI. Your input was flagged for "harassment". No credits were charged.',
        metadata: {
          reasons: ['harassment'],
          flagged_input: 'the text of the prompt',
          provider_name: 'OpenAI',
          model_slug: 'openai/gpt-4o',
        },
      },
    },
  ],
  [
    'ModelModerated',
    'DeepSeek',
    400,
    openai('Content Exists Risk', 'invalid_request_error', 'invalid_request_error'),
  ],
  [
    'ModelModerated',
    'xAI',
    403,
    {
      code: 'The caller does not have permission to execute the specified operation',
      error: 'Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO',
    },
  ],
  [
    'ModelModerated',
    'Alibaba',
    400,
    openai(
      'Input data may contain inappropriate content.',
      'data_inspection_failed',
      'data_inspection_failed',
    ),
  ],
  [
    'ModelModerated',
    'Gemini',
    400,
    google(
      400,
      'INVALID_ARGUMENT',
      'The prompt was blocked because it contained prohibited content.',
    ),
  ],
  // The key, and what it may do.
  [
    'ModelRefusedKey',
    'OpenAI',
    401,
    openai('Incorrect API key provided: sk-x***.', 'invalid_request_error', 'invalid_api_key'),
  ],
  [
    'ModelRefusedKey',
    'OpenAI: a country',
    403,
    openai(
      'Country, region, or territory not supported',
      'request_forbidden',
      'unsupported_country_region_territory',
    ),
  ],
  [
    'ModelRefusedKey',
    'Azure',
    401,
    {
      error: {
        code: '401',
        message: 'Access denied due to invalid subscription key or wrong API endpoint.',
      },
    },
  ],
  [
    'ModelRefusedKey',
    'Gemini',
    400,
    google(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [
      { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' },
    ]),
  ],
  [
    'ModelRefusedKey',
    'Gemini: a country',
    400,
    google(400, 'FAILED_PRECONDITION', 'User location is not supported for the API use.'),
  ],
  [
    'ModelRefusedKey',
    'xAI',
    400,
    {
      code: 'Client specified an invalid argument',
      error:
        'Incorrect API key provided: xa***. You can obtain an API key from https://console.x.ai.',
    },
  ],
  [
    'ModelRefusedKey',
    'Anthropic',
    403,
    anthropic(
      'permission_error',
      'Your API key does not have permission to use the specified resource.',
    ),
  ],
  [
    'ModelRefusedKey',
    'Groq',
    400,
    openai(
      'Organization has been restricted. Please reach out to support.',
      'invalid_request_error',
      'organization_restricted',
    ),
  ],
  [
    'ModelRefusedKey',
    'Bedrock',
    403,
    {
      __type: 'AccessDeniedException',
      message: "You don't have access to the model with the specified model ID.",
    },
  ],
  // Models that are none.
  [
    'ModelUnknown',
    'OpenAI',
    404,
    openai(
      'The model `gpt-9` does not exist or you do not have access to it.',
      'invalid_request_error',
      'model_not_found',
    ),
  ],
  [
    'ModelUnknown',
    'OpenAI: a project',
    403,
    openai(
      'Project `proj_1` does not have access to model `gpt-4o`',
      'invalid_request_error',
      'model_not_found',
    ),
  ],
  [
    'ModelUnknown',
    'Azure',
    404,
    {
      error: {
        code: 'DeploymentNotFound',
        message: 'The API deployment for this resource does not exist.',
      },
    },
  ],
  ['ModelUnknown', 'Anthropic', 404, anthropic('not_found_error', 'model: claude-9')],
  [
    'ModelUnknown',
    'Gemini',
    404,
    google(404, 'NOT_FOUND', 'models/gemini-9 is not found for API version v1beta.'),
  ],
  [
    'ModelUnknown',
    'Mistral',
    400,
    {
      object: 'error',
      message: 'Invalid model: mistral-9',
      type: 'invalid_model',
      param: null,
      code: '1500',
    },
  ],
  [
    'ModelUnknown',
    'DeepSeek',
    400,
    openai('Model Not Exist', 'invalid_request_error', 'invalid_request_error'),
  ],
  [
    'ModelUnknown',
    'Groq: a retired model',
    400,
    openai(
      'The model `llama2-70b` has been decommissioned and is no longer supported.',
      'invalid_request_error',
      'model_decommissioned',
    ),
  ],
  [
    'ModelUnknown',
    'Together',
    404,
    openai(
      'Unable to access model x. Please visit the list of models.',
      'invalid_request_error',
      'model_not_available',
    ),
  ],
  [
    'ModelUnknown',
    'Fireworks',
    404,
    {
      error: {
        message: 'Model not found, inaccessible, and/or not deployed',
        code: 'NOT_FOUND',
        object: 'error',
      },
    },
  ],
  [
    'ModelUnknown',
    'OpenRouter',
    400,
    { error: { message: 'acme/nothing is not a valid model ID', code: 400 } },
  ],
  [
    'ModelUnknown',
    'Ollama',
    404,
    {
      error: {
        message: 'model "llama9" not found, try pulling it first',
        type: 'api_error',
        param: null,
        code: null,
      },
    },
  ],
  ['ModelUnknown', 'vLLM', 404, vllm('The model `x` does not exist.', 'NotFoundError', 404)],
  [
    'ModelUnknown',
    'LM Studio',
    400,
    {
      error: {
        message: 'Invalid model identifier "x". Please specify a valid downloaded model.',
        code: 'model_not_found',
      },
    },
  ],
  [
    'ModelUnknown',
    'LiteLLM',
    400,
    openai(
      '/chat/completions: Invalid model name passed in model=x. Call `/v1/models` to view available models',
      'invalid_request_error',
      '400',
    ),
  ],
  ['ModelUnknown', 'Bedrock', 400, { message: 'The provided model identifier is invalid.' }],
  ['ModelUnknown', 'FastAPI, of a wrong address', 404, { detail: 'Not Found' }],
  ['ModelUnknown', 'a website', 404, '<!doctype html><title>Not Found</title>'],
  ['ModelUnknown', 'a redirection', 308, ''],
  // No credit.
  [
    'ModelQuotaSpent',
    'OpenAI',
    429,
    openai(
      'You exceeded your current quota, please check your plan and billing details.',
      'insufficient_quota',
      'insufficient_quota',
    ),
  ],
  [
    'ModelQuotaSpent',
    'DeepSeek',
    402,
    openai('Insufficient Balance', 'unknown_error', 'invalid_request_error'),
  ],
  [
    'ModelQuotaSpent',
    'Anthropic',
    400,
    anthropic(
      'invalid_request_error',
      'Your credit balance is too low to access the Anthropic API.',
    ),
  ],
  [
    'ModelQuotaSpent',
    'OpenRouter',
    402,
    { error: { message: 'This request requires more credits, or fewer max_tokens.', code: 402 } },
  ],
  [
    'ModelQuotaSpent',
    'xAI',
    403,
    {
      code: 'The caller does not have permission to execute the specified operation',
      error:
        'Your team has either used all available credits or reached its monthly spending limit.',
    },
  ],
  [
    'ModelQuotaSpent',
    'Moonshot',
    429,
    openai(
      'Your account is suspended, please check your plan and billing details',
      'exceeded_current_quota_error',
    ),
  ],
  [
    'ModelQuotaSpent',
    'Fireworks',
    412,
    openai(
      'Account acme is suspended, possibly due to reaching the monthly spending limit',
      'error',
    ),
  ],
  // The server.
  [
    'ModelUnavailable',
    'OpenAI',
    503,
    openai('The engine is currently overloaded, please try again later', 'server_error'),
  ],
  ['ModelUnavailable', 'Anthropic', 529, anthropic('overloaded_error', 'Overloaded')],
  [
    'ModelUnavailable',
    'Moonshot',
    429,
    openai('The engine is currently overloaded, please try again later', 'engine_overloaded_error'),
  ],
  [
    'ModelUnavailable',
    'llama.cpp, which is starting',
    503,
    { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } },
  ],
  [
    'ModelUnavailable',
    'TGI',
    424,
    { error: 'Request failed during generation: Server error', error_type: 'generation' },
  ],
  [
    'ModelUnavailable',
    'envoy',
    503,
    'upstream connect error or disconnect/reset before headers. reset reason: connection failure',
  ],
  [
    'ModelUnavailable',
    'Cloudflare, which suspects a robot',
    403,
    '<!DOCTYPE html><html><title>Just a moment...</title></html>',
  ],
  [
    'ModelUnavailable',
    'nginx',
    502,
    '<html>\r\n<head><title>502 Bad Gateway</title></head></html>',
  ],
  [
    'ModelUnavailable',
    'LiteLLM',
    500,
    openai('litellm.InternalServerError: Connection error.', 'None', '500'),
  ],
  // The request.
  [
    'ModelRejectedRequest',
    'OpenAI',
    400,
    openai(
      "Unsupported parameter: 'top_p' is not supported with this model.",
      'invalid_request_error',
      'unsupported_parameter',
    ),
  ],
  [
    'ModelRejectedRequest',
    'OpenAI: a limit of completions',
    400,
    openai(
      'max_tokens is too large: 16000. This model supports at most 4096 completion tokens.',
      'invalid_request_error',
      'invalid_value',
    ),
  ],
  [
    'ModelRejectedRequest',
    'FastAPI',
    422,
    {
      detail: [
        {
          loc: ['body', 'max_tokens'],
          msg: 'ensure this value is less than or equal to 1024',
          type: 'value_error.number.not_le',
          input: 'the text of the prompt',
        },
      ],
    },
  ],
  [
    'ModelRejectedRequest',
    'Mistral',
    422,
    {
      object: 'error',
      message: {
        detail: [
          {
            type: 'extra_forbidden',
            loc: ['body', 'seed'],
            msg: 'Extra inputs are not permitted',
            input: 1,
          },
        ],
      },
      type: 'invalid_request_error',
    },
  ],
  [
    'ModelRejectedRequest',
    'LiteLLM',
    500,
    openai('litellm.BadRequestError: OpenAIException - bad', 'None', '500'),
  ],
  [
    'ModelRejectedRequest',
    'llama.cpp, of a template',
    500,
    {
      error: {
        code: 500,
        message: 'Conversation roles must alternate user/assistant',
        type: 'server_error',
      },
    },
  ],
];

const texts = { images: false, tools: false };

describe('an error', () => {
  it.each(errors)('is %s as %s sends it', (type, _, status, body) => {
    expect(classifyError(readProviderError(status, body), texts)).toBe(type);
  });

  it('never quotes what it repeats of the request', () => {
    for (const [, , status, body] of errors)
      expect(readProviderError(status, body).words).not.toContain('the text of the prompt');
  });

  it('that Anthropic words as ever is of the request alone where no token was used', () => {
    const error = readProviderError(
      429,
      anthropic(
        'rate_limit_error',
        "This request would exceed your organization's rate limit of 30,000 input tokens per minute.",
      ),
    );
    expect(classifyError(error, { ...texts, hasWholeLimit: true })).toBe('ModelRequestTooLarge');
  });
});

describe('the words of an error', () => {
  it.each<[string, unknown, string]>([
    ['a text', 'upstream is down', 'upstream is down'],
    ['a JSON text', 'null', 'null'],
    ['a page', '<html><head><title>\n Just a\n moment... </title>', 'Just a moment...'],
    ['an error that is a text', { error: 'no', code: 'x' }, 'no'],
    [
      'a message beside a name',
      { error: 'Bad Request', message: 'the reason', statusCode: 400 },
      'the reason',
    ],
    ['a description', { error: 'invalid_request', error_description: 'the reason' }, 'the reason'],
    ['several errors', { errors: [{ message: 'one' }, { message: 'two' }] }, 'one; two'],
    ['a list of texts', { error: ['one', 'two'] }, 'one; two'],
    ['FastAPI', { detail: [{ loc: ['body', 'n'], msg: 'missing' }] }, 'body.n: missing'],
    ['FastAPI, with a text', { detail: 'Not Found' }, 'Not Found'],
    ['a fault of Apigee', { fault: { faultstring: 'no', detail: { errorcode: 'x' } } }, 'no'],
    ['AWS', { __type: 'ValidationException', Message: 'no' }, 'no'],
    ['problem+json', { title: 'Bad', detail: 'the reason', status: 400 }, 'the reason'],
    [
      'OpenRouter, of an upstream',
      {
        error: {
          message: 'Provider returned error',
          metadata: { raw: '{"error":{"message":"no","code":"x"}}', provider_name: 'Acme' },
        },
      },
      'Provider returned error no (Acme)',
    ],
    [
      'llama.cpp, with its lengths',
      { error: { message: 'too much', n_prompt_tokens: 9000, n_ctx: 4096 } },
      'too much (9000 tokens of 4096)',
    ],
    ['nothing', { ok: false }, ''],
  ])('are found in %s', (_, body, words) => {
    expect(readProviderError(400, body).words).toBe(words);
  });
});

describe('an error under a success status', () => {
  it.each<[number | undefined, string, unknown]>([
    [429, 'of a number', { error: { code: 429, message: 'busy' } }],
    [502, 'of a number as text', { error: { code: '502', message: 'down' } }],
    [429, 'of a name', { error: { code: 'rate_limit_daily', message: 'tomorrow' } }],
    [503, 'of Anthropic', anthropic('overloaded_error', 'Overloaded')],
    [402, 'of spent credit', { error: { code: 'insufficient_quota', message: 'x' } }],
    [400, 'of the request', { error: { type: 'invalid_request_error', message: 'x' } }],
    [500, 'of an unknown name', { error: { code: 'oops', message: 'x' } }],
    [500, 'that is a text', { error: 'something failed' }],
    [500, 'beside no choices', { error: { message: 'x' }, choices: [] }],
    [400, 'of older vLLM', vllm('bad')],
    [undefined, 'beside a reply is none', { error: null, choices: [{}] }],
    [undefined, 'beside a response is none', { error: { code: 'x' }, output: [{}] }],
    [undefined, 'that is no object is none', [1]],
    [undefined, 'without an error is none', { object: 'list', data: [] }],
  ])('has the status %s %s', (status, _, body) => {
    expect(lateStatus(body)).toBe(status);
  });
});
