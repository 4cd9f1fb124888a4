import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  classifyError,
  lateStatus,
  readProviderError,
  type Refusal,
} from '../../../domain/models/provider-errors.js';

const anthropic = (type: string, message: string): object => ({
  type: 'error',
  error: { type, message },
  request_id: 'req_011',
});
const vllm = (message: string, type = 'BadRequestError', code = 400): object => ({
  object: 'error',
  message,
  type,
  param: null,
  code,
});

interface SentError {
  readonly refusal: Refusal;
  readonly by: string;
  readonly status: number;
  readonly body: unknown;
}

/** Errors as their providers and servers send them. */
const errors = readFileSync('tests/support/model-apis/provider-errors.jsonl', 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as SentError);

const texts = { images: false, tools: false };

describe('an error', () => {
  it.each(errors)('is $refusal as $by sends it', ({ refusal, status, body }) => {
    expect(classifyError(readProviderError(status, body), texts)).toBe(refusal);
  });

  it('never quotes what it repeats of the request', () => {
    for (const { status, body } of errors)
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
