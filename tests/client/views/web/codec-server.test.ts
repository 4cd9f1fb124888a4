import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codecUrl } from '../../../../client/views/web/codec-server.js';
import { startViewServer, type ViewServer } from '../../../../client/views/web/view-server.js';
import { payloadCodec } from '../../../../temporal/payload-codec.js';

const key = Buffer.alloc(32, 7).toString('base64');
const ui = 'http://127.0.0.1:8233';
const routes = { pages: [], parts: [], actions: [], documents: [] };

const url = (): string => codecUrl(server.port, key);

const start = (host = '127.0.0.1'): Promise<ViewServer> =>
  startViewServer({
    ...{ port: 0, at: { host, tls: null }, routes, assets: {} },
    codec: { key, uiAddress: () => Promise.resolve(ui) },
  });

let server: ViewServer;
beforeEach(async () => {
  server = await start();
});
afterEach(() => server.close());

/** In the JSON of protobuf. */
const inJson = ({ metadata, data }: Payload): object => ({
  metadata: Object.fromEntries(
    Object.entries(metadata ?? {}).map(([name, bytes]) => [
      name,
      Buffer.from(bytes).toString('base64'),
    ]),
  ),
  data: Buffer.from(data ?? []).toString('base64'),
});

const plain = defaultPayloadConverter.toPayload('Why?');

const ask = async (
  path: string,
  payloads: readonly Payload[],
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  fetch(`${url()}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Namespace': 'default', ...headers },
    body: JSON.stringify({ payloads: payloads.map(inJson) }),
  });

describe('the codec server', () => {
  it('decodes and encodes for the UI of Temporal', async () => {
    const encoded = await payloadCodec(key).encode([plain]);
    for (const Origin of [ui, 'http://localhost:8233']) {
      const response = await ask('/decode', encoded, { Origin });
      expect(response.headers.get('access-control-allow-origin')).toBe(Origin);
      expect(await response.json()).toEqual({ payloads: [inJson(plain)] });
    }
    const response = await ask('/encode', [plain], { Origin: ui });
    const { payloads } = (await response.json()) as { payloads: { metadata: object }[] };
    const encoding = Buffer.from('binary/encrypted').toString('base64');
    expect(payloads[0]?.metadata).toMatchObject({ encoding });
  });

  it('tells a browser beforehand what the UI may send', async () => {
    const response = await fetch(`${url()}/decode`, {
      method: 'OPTIONS',
      headers: { Origin: ui, 'Access-Control-Request-Method': 'POST' },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-headers')).toBe('Content-Type, X-Namespace');
    expect(response.headers.get('access-control-allow-origin')).toBe(ui);
  });

  it('answers a program that knows its address', async () => {
    const response = await ask('/decode', await payloadCodec(key).encode([plain]));
    expect(await response.json()).toEqual({ payloads: [inJson(plain)] });
  });

  it.each([
    ['another page', { Origin: 'http://evil.example' }],
    ['a page of no origin', { Origin: 'null' }],
  ])('refuses %s', async (_, headers) => {
    const response = await ask('/decode', await payloadCodec(key).encode([plain]), headers);
    expect(response.status).toBe(403);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    expect(await response.text()).not.toContain('Why');
  });

  it('refuses who does not know the token, and whatever is no POST', async () => {
    const { origin } = new URL(url());
    expect((await fetch(`${origin}/codec/x/decode`, { method: 'POST' })).status).toBe(403);
    expect((await fetch(`${url()}/decode`)).status).toBe(405);
  });

  it.each([
    ['no payloads', '{}'],
    ['no JSON', 'x'],
    ['no base64', '{"payloads":[{"data":"!"}]}'],
  ])('says of %s that it cannot be read', async (_, body) => {
    const response = await fetch(`${url()}/decode`, { method: 'POST', body });
    expect(response.status).toBe(400);
  });

  it('says which key is missing', async () => {
    const other = Buffer.alloc(32, 8).toString('hex');
    const response = await ask('/decode', await payloadCodec(other).encode([plain]));
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('set TURNWISE_PAYLOAD_KEY');
  });

  it('answers nobody who has come by another address, whatever they call it', async () => {
    await server.close();
    server = await start('0.0.0.0');
    const { pathname } = new URL(url());
    const sent = request({
      ...{ host: '127.0.0.2', port: server.port, method: 'POST', path: `${pathname}/decode` },
      headers: { Host: `127.0.0.1:${server.port}` },
    });
    sent.end('{"payloads":[]}');
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(403);
    expect((await ask('/decode', [])).status).toBe(200);
  });
});
