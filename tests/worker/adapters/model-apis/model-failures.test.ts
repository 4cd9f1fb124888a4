import { getEventListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { FailureType } from '../../../../domain/failure-type.js';
import { createModel } from '../../../../worker/adapters/model-apis/model.js';
import { keysForAll } from '../../../support/model-calls/keys-for-all.js';
import {
  answer,
  apiKey,
  chatEndpoint,
  complete,
  error,
  failureOf,
  json,
  prompt,
  request,
} from '../../../support/model-calls/chat-endpoint.js';

const { serve, received, close } = chatEndpoint();

const overflowText =
  "This model's maximum context length is 4096 tokens. However, you asked for 9000.";

describe('a refusal', () => {
  it.each<[FailureType, string, number, unknown]>([
    ['ModelRefusedKey', 'a wrong key', 401, error('invalid_api_key', 'Incorrect key: sk-very***')],
    ['ModelRefusedKey', 'a key without rights', 403, error(null, 'no access')],
    ['ModelRejectedRequest', 'a bad parameter', 400, error('unsupported_value', 'Bad value')],
    ['ModelUnknown', 'an unknown model', 404, error('model_not_found', 'No such model')],
    ['ModelUnknown', 'an address that is no API', 404, '<html>Not Found</html>'],
    ['ModelRejectedRequest', 'a request of the wrong shape', 422, { detail: [{ msg: 'missing' }] }],
    ['ContextOverflow', "OpenAI's code", 400, error('context_length_exceeded', 'Too long')],
    ['ContextOverflow', "llama.cpp's type", 400, error(400, 'x', 'exceed_context_size_error')],
    ['ContextOverflow', "vLLM's words", 400, error(400, overflowText, 'BadRequestError')],
    [
      'ContextOverflow',
      "older vLLM's words at the top level",
      400,
      { object: 'error', message: overflowText, type: 'BadRequestError', code: 400 },
    ],
    [
      'ContextOverflow',
      "TGI's words",
      422,
      { error: 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096.' },
    ],
    ['ModelQuotaSpent', 'a spent quota', 429, error('insufficient_quota', 'You exceeded')],
    ['ModelQuotaSpent', 'a quota told by type', 429, error(null, 'x', 'insufficient_quota')],
    ['ModelQuotaSpent', 'an unpaid account', 402, error(402, 'Insufficient balance')],
    ['ModelRateLimited', 'a rate limit', 429, error('rate_limit_exceeded', 'Slow down')],
    ['ModelRateLimited', 'a rate limit without a body', 429, ''],
    ['ModelUnavailable', 'a request time-out', 408, ''],
    ['ModelUnavailable', 'a conflict', 409, ''],
    ['ModelUnavailable', 'an internal error', 500, error('server_error', 'Oops')],
    ['ModelUnavailable', 'a gateway page', 502, '<html>Bad Gateway</html>'],
    ['ModelUnavailable', 'an overloaded server', 529, error(null, 'Overloaded')],
    ['ModelUnavailable', 'a late error under status 200', 200, error(502, 'Upstream died')],
    ['ModelRateLimited', 'a late rate limit under status 200', 200, error(429, 'Upstream busy')],
  ])('is %s for %s', async (type, _, status, body) => {
    const url = await serve(json(status, body));
    const failure = await failureOf(complete(url));
    expect(failure.type).toBe(type);
    expect(failure.message).toContain(`${url} (model test-model)`);
    expect(received()).toHaveLength(1);
  });

  it.each<[string, Record<string, string>, number | undefined]>([
    ['seconds', { 'retry-after': '7' }, 7000],
    ['milliseconds', { 'retry-after-ms': '350' }, 350],
    ['rubbish', { 'retry-after': 'later' }, undefined],
  ])('passes on a Retry-After in %s', async (_, headers, expected) => {
    const limited = await failureOf(complete(await serve(json(429, error(null, 'x'), headers))));
    expect(limited.options.retryAfterMs).toBe(expected);
  });

  it('passes on a Retry-After of an overloaded server', async () => {
    const busy = await failureOf(complete(await serve(json(503, '', { 'retry-after': '3' }))));
    expect(busy.options.retryAfterMs).toBe(3000);
  });

  it('quotes the provider where that tells the remedy', async () => {
    const body = error('unsupported_parameter', "'top_p' is not supported with this model.");
    const { message } = await failureOf(complete(await serve(json(400, body))));
    expect(message).toContain(
      `(400 unsupported_parameter "'top_p' is not supported with this model.")`,
    );
  });

  it.each([
    ['the prompt', 400, error(null, `Invalid input: {'content': '${prompt}'}`)],
    ['the key', 400, error(null, `Key ${apiKey} may not do this`)],
    ['a piece of the key', 401, error(null, `Incorrect API key provided: ${apiKey.slice(0, 9)}`)],
  ])('repeats nothing when the provider echoes %s', async (_, status, body) => {
    const failure = await failureOf(complete(await serve(json(status, body))));
    expect(failure.message).not.toMatch(/four tracks|sk-very/);
    expect(failure.cause).toBeUndefined();
  });

  it.each([
    [
      'an address of the API',
      'http://127.0.0.1:1/v2/chat/completions?key=secret',
      '(307, http://127.0.0.1:1/v2/chat/completions): give http://127.0.0.1:1/v2 as the base URL',
    ],
    ['another address', 'https://login.test/', '(307, https://login.test/): check that'],
    ['nothing', undefined, '(307): give that one'],
    ['an address with the key', `http://127.0.0.1:1/${apiKey}/v1`, '(307): give that one'],
  ])('that redirects to %s says where to', async (_, location, said) => {
    const url = await serve(json(307, '', location === undefined ? {} : { location }));
    const failure = await failureOf(complete(url));
    expect(failure.message).toContain(`redirects to another address ${said}`);
    expect(failure.message).not.toMatch(/secret|sk-very/);
    expect(received()).toHaveLength(1);
  });

  it('of a firewall is not blamed on the key', async () => {
    const page = '<!DOCTYPE html><html><title>Just a moment...</title></html>';
    const failure = await failureOf(complete(await serve(json(403, page))));
    expect(failure.type).toBe('ModelUnavailable');
    expect(failure.message).toContain('a firewall or proxy before it sent a web page');
    expect(failure.message).toContain('(403 "Just a moment...")');
  });

  it.each([
    [
      'late',
      200,
      error('rate_limit_daily', 'Daily budget used up.'),
      '(429 rate_limit_daily "Daily budget used up."): when it ends is not said',
    ],
    [
      'of FastAPI',
      422,
      { detail: [{ loc: ['body', 'n'], msg: 'too large' }] },
      '"body.n: too large"',
    ],
    ['of a plain text', 400, 'no such field: n', '(400 "no such field: n")'],
    ['of a country', 403, error(null, 'Country not supported'), '(403 "Country not supported")'],
  ])('%s has the words of the provider', async (_, status, body, said) => {
    expect((await failureOf(complete(await serve(json(status, body))))).message).toContain(said);
  });

  it('of a limit of a day says when it ends', async () => {
    const body = error('429', 'Please retry after 86400 seconds.');
    const before = Date.now();
    const { message, options } = await failureOf(complete(await serve(json(429, body))));
    expect(options.retryAfterMs).toBe(86_400_000);
    const [, said = ''] =
      /a limit of a day, which is reached .*it ends at (.*) UTC/.exec(message) ?? [];
    expect(Math.abs(Date.parse(`${said.replace(' ', 'T')}Z`) - before - 86_400_000)).toBeLessThan(
      120_000,
    );
  });

  it.each([
    [502, true],
    [504, true],
    [503, undefined],
    [500, undefined],
  ])('with status %i may be paid: %s', async (status, mayBePaid) => {
    const { options } = await failureOf(complete(await serve(json(status, ''))));
    expect(options.mayBePaid).toBe(mayBePaid);
  });

  it('tells a key that was refused from one that was never sent', async () => {
    const url = await serve(json(401, error(null, 'who are you')));
    expect((await failureOf(complete(url))).message).toContain('refused the API key');
    expect((await failureOf(complete(url, {}, 'http://127.0.0.1:1/v1'))).message).toContain(
      'none is configured for this address',
    );
  });
});

describe('nonsense', () => {
  it.each<[string, string | undefined, unknown]>([
    ['an HTML page', 'text/html', '<!DOCTYPE html><html><body>Sign in</body></html>'],
    ['broken JSON', 'application/json', '{"choices": [{"mess'],
    ['an empty body', 'application/json', ''],
    ['not a chat completion', 'application/json', { choices: [] }],
    ['not a chat completion', 'application/json', { object: 'list', data: [] }],
    ['not a chat completion', 'application/json', 'null'],
  ])('is recognised and described: %s', async (seen, type, body) => {
    const url = await serve(json(200, body, type === undefined ? {} : { 'content-type': type }));
    const failure = await failureOf(complete(url));
    expect(failure.type).toBe('ModelRepliedNonsense');
    expect(failure.message).toContain(seen);
    expect(failure.options.mayBePaid).toBeUndefined();
  });
});

describe('a connection', () => {
  it('that is refused makes the model unavailable', async () => {
    const url = await serve(json(200, answer));
    await close();
    const failure = await failureOf(complete(url));
    expect(failure.type).toBe('ModelUnavailable');
    expect(failure.message).toContain('ECONNREFUSED');
    expect(failure.options.mayBePaid).toBeUndefined();
    expect(failure.cause).toBeInstanceOf(Error);
  });

  it('that is reset after the request makes the model unavailable, and may be paid', async () => {
    const failure = await failureOf(
      complete(await serve((response) => response.socket?.resetAndDestroy())),
    );
    expect(failure.type).toBe('ModelUnavailable');
    expect(failure.message).toContain(
      'broke the connection (ECONNRESET) after the request was sent',
    );
    expect(failure.options.mayBePaid).toBe(true);
  });

  it('that brings more than any model sends is broken off, and the failure says so', async () => {
    const part = Buffer.alloc(2 ** 20, ' ');
    let isOpen = true;
    const url = await serve((response) => {
      response.on('close', () => (isOpen = false));
      response.writeHead(200, { 'content-type': 'application/json' });
      const send = (): void => {
        while (isOpen && response.write(part));
        if (isOpen) response.once('drain', send);
      };
      send();
    });
    const failure = await failureOf(complete(url));
    expect(failure.type).toBe('ModelRepliedNonsense');
    expect(failure.message).toContain('sent a reply of more than 128 MiB');
    expect(failure.options.mayBePaid).toBe(true);
  });

  it('that breaks in the middle of the body makes the model unavailable', async () => {
    const url = await serve((response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
      response.write('{"choices":', () => response.socket?.destroy());
    });
    const failure = await failureOf(complete(url));
    expect(failure.type).toBe('ModelUnavailable');
    expect(failure.options.mayBePaid).toBe(true);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['before the headers', () => undefined],
    [
      'in the middle of the body',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('{"choices":');
      },
    ],
  ])('that hangs %s is given up at the time-out', async (_, hang) => {
    const failure = await failureOf(complete(await serve(hang), { timeoutMs: 50 }));
    expect(failure.type).toBe('ModelUnavailable');
    expect(failure.message).toContain('did not answer within 50 ms');
  });
});

describe('cancellation', () => {
  it('surfaces as what the signal was aborted with', async () => {
    const cancellation = new AbortController();
    const reason = new Error('the run was cancelled');
    const url = await serve(() => cancellation.abort(reason));
    const call = createModel(keysForAll({ apiKey, keyIsFor: url })).complete(
      request(url),
      cancellation.signal,
    );
    await expect(call).rejects.toBe(reason);
  });

  it.each([
    ['is answered', json(200, answer)],
    ['fails', json(400, {})],
  ])('is no longer waited for by a call that %s', async (_, respond) => {
    const { signal } = new AbortController();
    const url = await serve(respond);
    await createModel(keysForAll({ apiKey, keyIsFor: url }))
      .complete(request(url), signal)
      .catch(() => undefined);
    expect(received()).toHaveLength(1);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('before the call sends nothing', async () => {
    const url = await serve(json(200, answer));
    const reason = new Error('cancelled early');
    const call = createModel(keysForAll({ apiKey, keyIsFor: url })).complete(
      request(url),
      AbortSignal.abort(reason),
    );
    await expect(call).rejects.toBe(reason);
    expect(received()).toHaveLength(0);
  });
});
