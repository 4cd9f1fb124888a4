import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';
import { createTellWebhook } from '../../../../activities/runs/tell-webhook.js';
import { noCap, noAmount } from '../../../../domain/budget/amount.js';
import { runIdSchema } from '../../../../domain/ids.js';
import type { RunNotice } from '../../../../domain/runs/run-notice.js';
import { environmentSchema } from '../../../../domain/settings.js';
import { firstIssue } from '../../../../domain/formats/json.js';
import { createWebhook } from '../../../../worker/adapters/http/webhook.js';
import { secretsOfEnvironment } from '../../../../worker/adapters/model-apis/endpoint.js';
import { startHttpEndpoint } from '../../../support/fakes/http-endpoint.js';
import { testHome } from '../../../support/test-home.js';

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
