import { afterEach, describe, expect, it } from 'vitest';
import { noAmount, noBills } from '../../../../domain/budget/amount.js';
import { requestPath } from '../../../../domain/models/apis/request-body.js';
import type { ModelApi } from '../../../../domain/model-api.js';
import { entryName, type SubmittedBatch } from '../../../../domain/runs/batches.js';
import { createBatches } from '../../../../worker/adapters/model-apis/batches.js';
import { startHttpEndpoint, type HttpEndpoint } from '../../../support/fakes/http-endpoint.js';
import { keysForAll } from '../../../support/model-calls/keys-for-all.js';
import { sampleKey } from '../../../support/runs/example-records.js';

const { signal } = new AbortController();
let endpoint: HttpEndpoint | undefined;
afterEach(() => endpoint?.close());

/** A provider that answers a path with JSON, or a text. */
async function provider(answers: Readonly<Record<string, unknown>>): Promise<HttpEndpoint> {
  endpoint = await startHttpEndpoint((response, { path }) => {
    const [, answer] = Object.entries(answers).find(([start]) => path.startsWith(start)) ?? [];
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer ?? {}));
  });
  return endpoint;
}

function batchOf(api: ModelApi, baseUrl: string, calls = 2): SubmittedBatch {
  const call = {
    ...{ ...sampleKey('q'), asking: 1, id: '0', need: noAmount, failed: 0 },
    size: { kind: 'graph' as const },
  };
  return {
    number: 1,
    name: 'turnwise-1',
    address: { api, baseUrl, model: 'm', path: requestPath({ api, model: 'm', stream: false }) },
    calls: Array.from({ length: calls }, () => call),
    ...{ begunAtMs: Date.parse('2026-01-01'), id: 'b1', file: 'f1' },
    ...{ isCancelled: false, hasEnded: false, spent: noAmount, bills: noBills },
  };
}

const batchesFor = ({ url }: HttpEndpoint) =>
  createBatches(keysForAll({ apiKey: 'sk-secret-of-mine', keyIsFor: url }));

const lines = (...values: readonly object[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('');

const usage = { prompt_tokens: 20, completion_tokens: 5 };
const completion = { choices: [{ finish_reason: 'stop', message: { content: 'So.' } }], usage };
const openAiBatch = { id: 'b1', status: 'completed', created_at: 1.7e9, input_file_id: 'f1' };

describe('an OpenAI batch', () => {
  it('has the answers of both its files, in any order', async () => {
    const batch = batchOf('chat', '', 4);
    const http = await provider({
      '/batches/b1': { ...openAiBatch, output_file_id: 'out', error_file_id: 'err' },
      '/files/out': lines(
        { custom_id: entryName(batch, 2), response: { status_code: 200, body: completion } },
        { custom_id: entryName(batch, 0), response: { status_code: 200, body: completion } },
      ),
      '/files/err': lines(
        { custom_id: entryName(batch, 1), response: null, error: { code: 'batch_expired' } },
        {
          custom_id: entryName(batch, 3),
          response: { status_code: 400, body: { error: { code: 'context_length_exceeded' } } },
        },
        { custom_id: 'of-another-batch', response: { status_code: 200, body: completion } },
      ),
    });
    const state = await batchesFor(http).poll(batchOf('chat', http.url, 4), signal);
    const results = state.kind === 'ended' ? [...state.results] : [];
    expect(results.toSorted(([a], [b]) => a - b)).toMatchObject([
      [0, { status: 200, failure: null, tokens: { prompt: 20, completion: 5 } }],
      [2, { status: 200, failure: null }],
      [3, { status: 400, failure: 'ContextOverflow', tokens: null }],
    ]);
    expect(http.received[0]?.headers.authorization).toBe('Bearer sk-secret-of-mine');
  });

  it.each([
    ['a status of the work', { status: 'in_progress' }],
    ['a status of its own', { status: 'thinking' }],
    ['answers whose file is awaited', { request_counts: { completed: 2 } }],
  ])('is open with %s', async (_, told) => {
    const http = await provider({ '/batches/b1': { ...openAiBatch, ...told } });
    expect(await batchesFor(http).poll(batchOf('chat', http.url), signal)).toEqual({
      kind: 'open',
    });
  });

  it('is refused for now where the account has too many tokens in batches, with the limit', async () => {
    const message =
      'Enqueued token limit reached for gpt-4o. Limit: 90,000 enqueued tokens. Please try again later.';
    const errors = { data: [{ code: 'token_limit_exceeded', message, line: null }] };
    const http = await provider({ '/batches/b1': { ...openAiBatch, status: 'failed', errors } });
    expect(await batchesFor(http).poll(batchOf('chat', http.url), signal)).toMatchObject({
      kind: 'refused',
      result: { status: 429, failure: 'ModelRateLimited' },
      mostTokens: 90_000,
    });
  });

  it('is refused where a request is wrong, and says to the others nothing of its text', async () => {
    const error = { code: 'invalid_json_line', message: 'not JSON: {"my prompt"', line: 1 };
    const told = { ...openAiBatch, status: 'failed', errors: { data: [error] } };
    const http = await provider({ '/batches/b1': told });
    const state = await batchesFor(http).poll(batchOf('chat', http.url), signal);
    expect(state).toMatchObject({
      kind: 'refused',
      result: { failure: 'ModelRejectedRequest', body: { error: { code: 'invalid_json_line' } } },
    });
    expect(JSON.stringify(state)).not.toContain('my prompt');
  });

  it('is found on a later page of the list, and not where its file was never sent', async () => {
    const others = { data: [{ ...openAiBatch, id: 'b7', input_file_id: 'f7' }], has_more: true };
    const http = await provider({
      '/batches?limit=100&after=b7': { data: [openAiBatch], has_more: false },
      '/batches?limit=100': others,
    });
    const batch = { ...batchOf('chat', http.url), begunAtMs: 1.7e12 };
    expect(await batchesFor(http).find(batch, signal)).toEqual({ id: 'b1', isUndecided: false });
    const { file, ...unsent } = batch;
    expect(file).toBe('f1');
    expect(await batchesFor(http).find(unsent, signal)).toMatchObject({ id: null });
  });
});

const anthropicBatch = (id: string, status: string): object => ({
  ...{ id, processing_status: status, created_at: '2026-01-01T00:00:01Z' },
  request_counts: { processing: 0, succeeded: 1, errored: 1, canceled: 0, expired: 0 },
});

describe('an Anthropic batch', () => {
  const batch = batchOf('anthropic', '');
  const message = {
    ...{ type: 'message', content: [{ type: 'text', text: 'So.' }], stop_reason: 'end_turn' },
    usage: { input_tokens: 20, output_tokens: 5 },
  };
  const results = lines(
    { custom_id: entryName(batch, 0), result: { type: 'succeeded', message } },
    {
      custom_id: entryName(batch, 1),
      result: {
        type: 'errored',
        error: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
      },
    },
  );

  it('has replies, and errors as they would have come alone', async () => {
    const http = await provider({
      '/v1/messages/batches/b1/results': results,
      '/v1/messages/batches/b1': anthropicBatch('b1', 'ended'),
    });
    const state = await batchesFor(http).poll(batchOf('anthropic', http.url), signal);
    expect(state.kind === 'ended' && [...state.results.values()]).toMatchObject([
      { failure: null, tokens: { prompt: 20, completion: 5 } },
      { failure: 'ModelUnavailable' },
    ]);
  });

  it('is known by its answers only, so that one as large decides nothing before it has ended', async () => {
    const list = [anthropicBatch('b2', 'in_progress'), anthropicBatch('b1', 'ended')];
    const open = await provider({ '/v1/messages/batches?': { data: list.slice(0, 1) } });
    const wanted = batchOf('anthropic', open.url);
    expect(await batchesFor(open).find(wanted, signal)).toEqual({ id: null, isUndecided: true });
    await open.close();
    const http = await provider({
      '/v1/messages/batches/b1/results': results,
      '/v1/messages/batches?': { data: list },
    });
    expect(await batchesFor(http).find(batchOf('anthropic', http.url), signal)).toEqual({
      ...{ id: 'b1', isUndecided: false },
    });
  });
});

describe('a Gemini batch', () => {
  it.each(['BATCH_STATE_EXPIRED', 'JOB_STATE_CANCELLED'])(
    'has no answers after %s',
    async (state) => {
      const http = await provider({ '/v1beta/b1': { name: 'batches/1', metadata: { state } } });
      const found = await batchesFor(http).poll(batchOf('gemini', http.url), signal);
      expect(found).toEqual({ kind: 'ended', results: new Map() });
    },
  );

  it('has the statuses of Google’s codes', async () => {
    const batch = batchOf('gemini', '');
    const line = (at: number, code: number): object => ({
      metadata: { key: entryName(batch, at) },
      error: { code, message: 'no' },
    });
    const http = await provider({
      '/v1beta/b1': {
        ...{ name: 'batches/1', done: true, metadata: { state: 'BATCH_STATE_SUCCEEDED' } },
        response: { inlinedResponses: { inlinedResponses: [line(0, 8), line(1, 3)] } },
      },
    });
    const state = await batchesFor(http).poll(batchOf('gemini', http.url), signal);
    expect(state.kind === 'ended' && [...state.results.values()]).toMatchObject([
      { status: 429, failure: 'ModelRateLimited' },
      { status: 400, failure: 'ModelRejectedRequest' },
    ]);
  });
});

describe('an API without batches', () => {
  it.each(['chat', 'anthropic', 'gemini'] as const)(
    'is refused in one sentence: %s',
    async (api) => {
      const http = await provider({});
      const { address } = batchOf(api, http.url);
      await expect(batchesFor(http).check(address, signal)).rejects.toMatchObject({
        type: 'ModelUnknown',
        message: `${new URL(http.url).host} has no batches for m: leave out --batch`,
      });
    },
  );
});
