import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { afterEach, describe, expect, it } from 'vitest';
import type { ServerResponse } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createTellWebhook } from '../../../../activities/runs/tell-webhook.js';
import { noCap, noAmount } from '../../../../domain/budget/amount.js';
import { firstIssue } from '../../../../domain/formats/json.js';
import { runIdSchema } from '../../../../domain/ids.js';
import type { RunNotice } from '../../../../domain/runs/run-notice.js';
import { environmentSchema } from '../../../../domain/settings.js';
import { exchange, createWebhook, BrokenOff } from '../../../../worker/adapters/http/exchange.js';
import { secretsOfEnvironment } from '../../../../worker/adapters/model-apis/endpoint.js';
import { startHttpEndpoint, type HttpEndpoint } from '../../../support/fakes/http-endpoint.js';
import { testHome } from '../../../support/test-home.js';

let endpoint: HttpEndpoint | undefined;
afterEach(async () => {
  await endpoint?.close();
  endpoint = undefined;
});

async function serve(reply: (response: ServerResponse) => void): Promise<URL> {
  endpoint = await startHttpEndpoint(reply);
  return new URL(`${endpoint.url}/a?b=c`);
}

describe('an exchange', () => {
  it('sends method, path, headers and body, and brings status, headers and body', async () => {
    const url = await serve((response) => {
      response.writeHead(418, 'Teapot', { 'x-one': '1', 'set-cookie': ['a=1', 'b=2'] });
      response.end('späť');
    });
    const reply = await exchange(url, {
      method: 'POST',
      headers: { authorization: 'Bearer x' },
      body: 'ž'.repeat(100_000),
    });
    expect(reply.status).toBe(418);
    expect(reply.statusText).toBe('Teapot');
    expect(reply.ok).toBe(false);
    expect(reply.headers.get('x-one')).toBe('1');
    expect(reply.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(await reply.text()).toBe('späť');
    expect(endpoint?.received[0]).toMatchObject({
      path: '/a?b=c',
      headers: { authorization: 'Bearer x', 'content-length': '200000' },
      body: 'ž'.repeat(100_000),
    });
  });

  it('takes a reply without a body', async () => {
    const reply = await exchange(await serve((response) => response.writeHead(204).end()), {
      method: 'GET',
    });
    expect(reply.status).toBe(204);
    expect(await reply.text()).toBe('');
  });

  it('uses a connection again', async () => {
    const ports = new Set<number | undefined>();
    const url = await serve((response) => {
      ports.add(response.socket?.remotePort);
      response.end('x');
    });
    for (let call = 0; call < 3; call += 1) await (await exchange(url, { method: 'GET' })).text();
    expect(ports.size).toBe(1);
  });

  it('is sent again on a new connection if the server had closed the idle one', async () => {
    const sockets = new Set<unknown>();
    const url = await serve((response) => {
      const isKnown = sockets.has(response.socket);
      sockets.add(response.socket);
      if (isKnown) response.socket?.resetAndDestroy();
      else response.end('x');
    });
    await exchange(url, { method: 'POST', body: 'one' });
    expect((await exchange(url, { method: 'POST', body: 'two' })).status).toBe(200);
    expect(endpoint?.received.map(({ body }) => body)).toEqual(['one', 'two', 'two']);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['before the headers', (response) => response.socket?.resetAndDestroy()],
    [
      'in the middle of the body',
      (response) => void response.write('{', () => response.socket?.resetAndDestroy()),
    ],
  ])('that breaks %s was sent, once', async (_, reply) => {
    const url = await serve(reply);
    await expect(exchange(url, { method: 'POST', body: 'one' })).rejects.toMatchObject({
      name: 'BrokenOff',
      code: 'ECONNRESET',
    });
    expect(endpoint?.received).toHaveLength(1);
  });

  it('that breaks on a used connection after a while was sent, and is not sent again', async () => {
    const url = await serve((response) => {
      if (endpoint?.received.length === 1) response.end('x');
      else setTimeout(() => response.socket?.resetAndDestroy(), 1100);
    });
    await exchange(url, { method: 'POST', body: 'one' });
    await expect(exchange(url, { method: 'POST', body: 'two' })).rejects.toMatchObject({
      name: 'BrokenOff',
    });
    expect(endpoint?.received).toHaveLength(2);
  });

  it('that meets no TLS was not sent', async () => {
    const url = await serve((response) => response.end());
    const failure: unknown = await exchange(new URL(url.href.replace('http:', 'https:')), {
      method: 'POST',
      body: 'one',
    }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(failure).not.toBeInstanceOf(BrokenOff);
  });

  it.each<[string, (response: ServerResponse, abort: () => void) => void]>([
    ['before the headers', (_, abort) => abort()],
    [
      'in the middle of the body',
      (response, abort) => {
        response.write('{', abort);
      },
    ],
  ])('ends when it is aborted %s', async (_, reply) => {
    const abortion = new AbortController();
    const url = await serve((response) => reply(response, () => abortion.abort()));
    const call = exchange(url, { method: 'GET', signal: abortion.signal }).then((response) =>
      response.text(),
    );
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('ends when it is aborted after a collection of garbage', async () => {
    const abortion = new AbortController();
    let reading: Promise<void> = Promise.resolve();
    await new Promise<void>((resolve, reject) => {
      serve((response) => void response.write('{', () => resolve())).then((url) => {
        reading = expect(
          exchange(url, { method: 'GET', signal: abortion.signal }),
        ).rejects.toThrow();
      }, reject);
    });
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void; // What the flag adds.
    await setImmediate();
    collectGarbage();
    abortion.abort();
    await reading;
  });

  it('says why there is no connection', async () => {
    const url = await serve(() => undefined);
    await endpoint?.close();
    await expect(exchange(url, { method: 'GET' })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

const notice: RunNotice = {
  ...{ event: 'ended', run: runIdSchema.parse('a-run'), home: testHome, reason: 'done' },
  at: '2026-01-01T00:00:00.000Z',
  progress: {
    ...{ samples: 1, ended: 1, inFlight: 0, waiting: 0, heldBy: null, parked: false },
    ...{ concurrency: 1, deadline: null },
    budget: { cap: noCap, spent: noAmount, reserved: noAmount },
  },
  score: [{ scale: 'unit', mean: 1, scored: 1 }],
};

/** An address at which nobody listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  // A server that listens on a port has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

describe('a webhook', () => {
  it('is sent JSON, with the name and password of its address', async () => {
    const endpoint = await startHttpEndpoint((response) => void response.writeHead(200).end('ok'));
    const url = endpoint.url.replace('http://', 'http://ann:secret@');
    expect(await createWebhook(url).send(notice)).toBeNull();
    await endpoint.close();
    const [{ body, headers } = { body: '', headers: {} }] = endpoint.received;
    expect(JSON.parse(body)).toEqual(notice);
    expect(headers.authorization).toBe(`Basic ${btoa('ann:secret')}`);
  });

  it.each([302, 404, 503])('has not taken what it answers with status %d', async (status) => {
    const endpoint = await startHttpEndpoint((response) => void response.writeHead(status).end());
    expect(await createWebhook(endpoint.url).send(notice)).toBe(
      `it answered with status ${status}`,
    );
    await endpoint.close();
  });

  it('is named in no message', async () => {
    const url = `http://127.0.0.1:${await closedPort()}/hook/secret`;
    expect(await createWebhook(url).send(notice)).toBe('it cannot be reached (ECONNREFUSED)');
    expect(secretsOfEnvironment({ TURNWISE_WEBHOOK: url })).toEqual([url]);
    const { error } = environmentSchema.safeParse({ TURNWISE_WEBHOOK: 'ftp://host/secret' });
    expect(error && firstIssue(error)).toBe('TURNWISE_WEBHOOK: must be a URL with http or https');
  });

  it('that takes nothing is logged once, and fails nothing', async () => {
    let sent = 0;
    const lines: unknown[] = [];
    const logger = new DefaultLogger('WARN', ({ message, meta }) => lines.push([message, meta]));
    const tellWebhook = createTellWebhook({
      webhook: {
        send: () => {
          sent += 1;
          return Promise.resolve('it answered with status 500');
        },
      },
    });
    await new MockActivityEnvironment({}, { logger }).run(tellWebhook, notice);
    expect(sent).toBe(3);
    expect(lines).toEqual([
      [
        'the webhook did not take a notice',
        expect.objectContaining({
          ...{ run: 'a-run', event: 'ended', reason: 'it answered with status 500' },
        }),
      ],
    ]);
  });

  it('is told nothing where there is none', async () => {
    await new MockActivityEnvironment().run(createTellWebhook({ webhook: null }), notice);
  });
});
