import { once } from 'node:events';
import { request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { serveProbes, type Check } from '../../../worker/operation/probes.js';

let server: Server | undefined;
afterEach(() => server?.close());

async function asked(checks: Readonly<Record<string, Check>>, path: string) {
  server = await serveProbes({ host: '127.0.0.1', port: 0 }, checks, 50);
  const { port } = server.address() as AddressInfo;
  const ask = async () => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return { status: response.status, body: await response.json() };
  };
  return ask;
}

it('is ready while nothing keeps it from work, and otherwise says what does', async () => {
  let trouble: string | null = null;
  const ready = await asked(
    { home: () => trouble, temporal: () => Promise.resolve(null) },
    '/readyz',
  );
  expect(await ready()).toEqual({ status: 200, body: { ok: true, home: null, temporal: null } });
  trouble = '/share has no home.json';
  expect(await ready()).toEqual({
    status: 503,
    body: { ok: false, home: trouble, temporal: null },
  });
});

it('takes what fails or hangs for trouble, and begins no check twice that hangs', async () => {
  let begun = 0;
  const ready = await asked(
    {
      temporal: () => Promise.reject(new Error('no connection')),
      home: () => {
        begun += 1;
        return new Promise(() => undefined);
      },
    },
    '/readyz',
  );
  const body = {
    ok: false,
    temporal: 'no connection',
    home: 'home does not answer within 0.05 seconds',
  };
  expect(await ready()).toEqual({ status: 503, body });
  expect(await ready()).toEqual({ status: 503, body });
  expect(begun).toBe(1);
});

it('is healthy all the same, since a restart would mend nothing', async () => {
  expect(await (await asked({ home: () => 'missing' }, '/healthz'))()).toEqual({
    status: 200,
    body: { ok: true },
  });
  server?.close();
  expect((await (await asked({}, '/else'))()).status).toBe(404);
});

it('outlives a request for what is no path', async () => {
  const ready = await asked({}, '/readyz?verbose');
  const { port } = server?.address() as AddressInfo;
  for (const path of ['//', 'http://', '/%']) {
    const sent = request({ port, path, host: '127.0.0.1' }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(404);
    response.resume();
  }
  expect(await ready()).toMatchObject({ status: 200 });
});
