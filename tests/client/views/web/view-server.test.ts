import { hostname } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import type { ViewRoutes } from '../../../../client/views/web/view-page.js';
import { requireSafe } from '../../../../client/views/web/access.js';
import { startViewServer, type ViewServer } from '../../../../client/views/web/view-server.js';
import { exitStatus, UserError } from '../../../../domain/user-error.js';
import { certificate } from '../../../support/own-server/certificates.js';
import { cookieOf, viewRequest, type ViewReply } from '../../../support/browser/view-request.js';

let server: ViewServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

const acted: unknown[] = [];

const routes: ViewRoutes = {
  pages: [
    { path: '/', load: () => Promise.resolve({ data: { runs: 1 }, refreshMs: null }) },
    {
      path: '/runs/:run',
      load: ({ run }) =>
        run === 'known'
          ? Promise.resolve({ data: { run }, refreshMs: 1_000 })
          : Promise.reject(new UserError(`there is no run ${run ?? ''}`)),
    },
  ],
  parts: [],
  actions: [
    {
      path: '/runs/:run/pause',
      act: ({ run }, body) => {
        if (run !== 'known') throw new UserError('refused', exitStatus.serviceUnreachable);
        acted.push(body);
        return Promise.resolve('is paused');
      },
    },
  ],
  documents: [{ path: '/report/:run', html: ({ run }) => Promise.resolve(`<p>${run ?? ''}`) }],
};

const start = async (port = 0): Promise<ViewServer> =>
  (server = await startViewServer({
    port,
    routes,
    assets: { 'view.js': { type: 'text/javascript', text: 'let a;' } },
  }));

interface Opened {
  readonly port: number;
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<ViewReply>;
  readonly post: (path: string, headers?: Readonly<Record<string, string>>) => Promise<ViewReply>;
  readonly secret: string;
}

/** As a browser that was given the address. */
async function opened(): Promise<Opened> {
  const { url, port } = await start();
  const cookie = await cookieOf({ url, port });
  const get: Opened['get'] = (path, headers = {}) =>
    viewRequest(port, path, { headers: { cookie, ...headers } });
  const { text } = await get('/');
  const secret = /name="turnwise-action" content="([^"]+)"/.exec(text)?.[1] ?? '';
  const own = { cookie, origin: `http://127.0.0.1:${port}`, 'x-turnwise-action': secret };
  return {
    port,
    get,
    secret,
    post: (path, headers = {}) =>
      viewRequest(port, path, { method: 'POST', headers: { ...own, ...headers }, body: '{"a":1}' }),
  };
}

describe('who is let in', () => {
  it('exchanges the token for a cookie that scripts and other sites do not get', async () => {
    const { url, port } = await start();
    const { pathname, search } = new URL(url);
    const reply = await viewRequest(port, `${pathname}${search}`);
    expect(reply.status).toBe(303);
    expect(reply.headers['location']).toBe('/');
    expect(String(reply.headers['set-cookie'])).toMatch(/HttpOnly; SameSite=Strict/);
    expect(String(reply.headers['set-cookie'])).not.toContain(search.slice('?token='.length));
  });

  it.each(['/', '/data/', '/assets/view.js', '/report/known', '/events/', '/nothing'])(
    'refuses %s without the cookie, with the remedy',
    async (path) => {
      const { port } = await start();
      const reply = await viewRequest(port, path);
      expect(reply.status).toBe(403);
      expect(reply.text).toContain('turnwise view');
    },
  );

  it('refuses a wrong token, and a cookie of another start', async () => {
    const { port } = await start();
    expect((await viewRequest(port, '/?token=wrong')).status).toBe(403);
    const cookie = `turnwise-view-${port}=old`;
    expect((await viewRequest(port, '/', { headers: { cookie } })).status).toBe(403);
  });

  it('refuses a name that leads to this machine, but is not its own', async () => {
    const { get, port } = await opened();
    expect((await get('/data/', { host: `attacker.example:${port}` })).status).toBe(403);
    expect((await get('/data/', { host: '127.0.0.1' })).status).toBe(403);
    expect((await get('/data/', { host: `localhost:${port}` })).status).toBe(200);
  });

  it('refuses requests of other origins and sites', async () => {
    const { get } = await opened();
    expect((await get('/data/', { origin: 'http://127.0.0.1:1' })).status).toBe(403);
    expect((await get('/data/', { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await get('/data/', { 'sec-fetch-site': 'same-site' })).status).toBe(403);
    expect((await get('/data/', { 'sec-fetch-site': 'same-origin' })).status).toBe(200);
  });

  it('lets a link in another program open the page with its token', async () => {
    const { url, port } = await start();
    const { search } = new URL(url);
    const headers = { 'sec-fetch-site': 'cross-site' };
    expect((await viewRequest(port, `/${search}`, { headers })).status).toBe(303);
  });

  it('acts only for its own page, which has the second token', async () => {
    const { post, port } = await opened();
    acted.length = 0;
    const path = '/actions/runs/known/pause';
    expect((await post(path, { 'x-turnwise-action': 'wrong' })).status).toBe(403);
    expect((await post(path, { origin: `http://localhost:${port}` })).status).toBe(403);
    expect((await post(path, { origin: 'null' })).status).toBe(403);
    expect((await post(path, { cookie: '' })).status).toBe(403);
    expect(acted).toEqual([]);
    const reply = await post(path);
    expect(reply.status).toBe(200);
    expect(JSON.parse(reply.text)).toEqual({ done: 'is paused' });
    expect(acted).toEqual([{ a: 1 }]);
  });
});

describe('a view for others than this machine', () => {
  const tls = { cert: certificate('server'), key: certificate('server-key') };

  it.each([
    ['0.0.0.0', null, false, false],
    ['192.0.2.1', null, false, false],
    ['temporal.example', null, false, false],
    ['0.0.0.0', tls, false, true],
    ['0.0.0.0', null, true, true],
    ['127.0.0.1', null, false, true],
    ['127.1.2.3', null, false, true],
    ['::1', null, false, true],
    ['localhost', null, false, true],
  ])('on %s needs TLS or the explicit word', (host, withTls, isWanted, isSafe) => {
    const check = (): void => requireSafe({ host, tls: withTls }, isWanted);
    if (isSafe) expect(check).not.toThrow();
    else expect(check).toThrow(/--tls-cert and --tls-key, or --insecure-host/);
  });

  it('takes requests to its own addresses with TLS, and to no other name', async () => {
    server = await startViewServer({ port: 0, at: { host: '0.0.0.0', tls }, routes, assets: {} });
    const { port, url } = server;
    expect(url).toContain(`https://${hostname()}:${port}/?token=`);
    const get = (path: string, headers: Readonly<Record<string, string>>): Promise<ViewReply> =>
      viewRequest(port, path, { headers, ca: certificate('ca') });
    const host = `127.0.0.1:${port}`;
    const { headers } = await get(`/${new URL(url).search}`, { host });
    expect(String(headers['set-cookie'])).toContain('Secure');
    const cookie = String(headers['set-cookie']).split(';')[0] ?? '';
    expect((await get('/data/', { host, cookie, origin: `https://${host}` })).status).toBe(200);
    expect((await get('/data/', { host, cookie, origin: `http://${host}` })).status).toBe(403);
    const named = { host: `${hostname().toLowerCase()}:${port}`, cookie };
    expect((await get('/data/', named)).status).toBe(200);
    const foreign = { host: `attacker.example:${port}`, cookie };
    expect((await get('/data/', foreign)).status).toBe(403);
    await expect(viewRequest(port, '/')).rejects.toThrow();
  });

  it('says what is wrong with a host or a certificate', async () => {
    const start = (host: string, cert: string): Promise<ViewServer> =>
      startViewServer({ port: 0, at: { host, tls: { ...tls, cert } }, routes, assets: {} });
    await expect(start('192.0.2.1', tls.cert)).rejects.toMatchObject({
      message: 'this machine cannot listen on 192.0.2.1: --host is one of its own addresses',
    });
    await expect(start('127.0.0.1', 'no certificate')).rejects.toMatchObject({
      message: 'the files of --tls-cert and --tls-key are no certificate with its key',
    });
  });
});

describe('what is served', () => {
  it('allows only its own script, style and data in every reply', async () => {
    const { get, port } = await opened();
    const replies = [await get('/'), await get('/data/'), await viewRequest(port, '/')];
    for (const { headers } of replies) {
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self'");
      expect(policy).toContain("connect-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|\*/);
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['cache-control']).toBe('no-store');
    }
  });

  it('has one document for every page, and data for each', async () => {
    const { get } = await opened();
    expect((await get('/runs/known')).text).toContain('<div id="app">');
    expect(JSON.parse((await get('/data/')).text)).toEqual({ data: { runs: 1 }, isLive: false });
    expect(JSON.parse((await get('/data/runs/known')).text)).toEqual({
      data: { run: 'known' },
      isLive: true,
    });
    expect((await get('/assets/view.js')).headers['content-type']).toBe('text/javascript');
  });

  it('says which run is not there, and that there is no such page', async () => {
    const { get } = await opened();
    const reply = await get('/data/runs/unknown');
    expect(reply.status).toBe(404);
    expect(JSON.parse(reply.text)).toEqual({ error: 'there is no run unknown' });
    expect((await get('/nothing')).status).toBe(404);
  });

  it('says why an action is refused', async () => {
    const { post } = await opened();
    const reply = await post('/actions/runs/unknown/pause');
    expect(reply.status).toBe(503);
    expect(JSON.parse(reply.text)).toEqual({ error: 'refused' });
  });

  it('sends the data of a page that does not change once, and then the end', async () => {
    const { get } = await opened();
    const { headers, text } = await get('/events/');
    expect(headers['content-type']).toContain('text/event-stream');
    expect(text).toBe('event: data\ndata: {"runs":1}\n\nevent: end\ndata: \n\n');
  });

  it('keeps a whole document from the data of the pages', async () => {
    const { get } = await opened();
    const { headers, text } = await get('/report/known');
    expect(text).toBe('<p>known');
    expect(headers['content-security-policy']).toBe(
      "sandbox allow-scripts; frame-ancestors 'none'",
    );
  });

  it('says that a port is in use', async () => {
    const { port } = await start();
    const second = startViewServer({ port, routes, assets: {} });
    await expect(second).rejects.toMatchObject({
      message: `port ${port} is in use, or may not be used: choose another with --port, or leave --port out for a free one`,
      status: exitStatus.badInput,
    });
  });
});
