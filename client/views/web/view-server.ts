import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer, type ServerType } from '@hono/node-server';
import { Hono, type Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import { exitStatus, UserError } from '../../../domain/user-error.js';
import {
  guard,
  newSecrets,
  securityHeaders,
  type ViewBindings,
  thisMachine,
  urlOf,
  type ViewHost,
} from './access.js';
import { addCodecServer, type CodecSettings } from './codec-server.js';
import { LivePage, messageOf, type LiveEvent } from './live-page.js';
import { shell, type ViewAssets } from './view-assets.js';
import type { PathParameters, ViewPage, ViewRoutes } from './view-page.js';

export interface ViewServer {
  /** With the token: to be opened in a browser. */
  readonly url: string;
  readonly port: number;
  readonly close: () => Promise<void>;
}

interface ViewSettings {
  /** 0 for a free one. */
  readonly port: number;
  /** @defaultValue this machine only */
  readonly at?: ViewHost;
  readonly routes: ViewRoutes;
  /** Of a codec server. @defaultValue none */
  readonly codec?: CodecSettings | undefined;
  readonly assets: ViewAssets;
}

/** Serves pages. Throws UserError where it cannot listen there. */
export async function startViewServer(settings: ViewSettings): Promise<ViewServer> {
  const { port, at = thisMachine, routes, assets, codec } = settings;
  const secrets = newSecrets();
  const app = new Hono<ViewBindings>();
  // Before the guard of the pages: it has its own.
  if (codec) addCodecServer(app, codec);
  app.use(securityHeaders, guard(secrets, at));
  for (const [name, { type, text }] of Object.entries(assets)) {
    app.get(`/assets/${name}`, (context) => context.body(text, 200, { 'Content-Type': type }));
  }
  addPages(app, routes, shell(secrets.action));
  app.notFound((context) => context.text('There is no such page.\n', 404));
  app.onError((error, context) => context.json({ error: messageOf(error) }, 500));
  const server = await listening(app, port, at);
  // A server that listens on a port has an AddressInfo.
  const address = server.address() as AddressInfo;
  return {
    url: urlOf(at, address.port, secrets.token),
    port: address.port,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      if ('closeAllConnections' in server) server.closeAllConnections();
      await closed;
    },
  };
}

async function listening(app: Hono<ViewBindings>, port: number, at: ViewHost): Promise<ServerType> {
  // Keeps the global Request and Response, which the process may use for its own calls.
  const options = { fetch: app.fetch, overrideGlobalObjects: false };
  try {
    const server = createAdaptorServer(
      at.tls === null ? options : { ...options, createServer, serverOptions: at.tls },
    );
    server.listen(port, at.host);
    await once(server, 'listening');
    return server;
  } catch (error) {
    throw inWords(error, port, at);
  }
}

function inWords(error: unknown, port: number, { host, tls }: ViewHost): unknown {
  const { code = '', syscall } = error as NodeJS.ErrnoException; // Only its fields are looked at.
  if (syscall === 'getaddrinfo' || code === 'EADDRNOTAVAIL') {
    return new UserError(
      `this machine cannot listen on ${host}: --host is one of its own addresses`,
    );
  }
  if (syscall === 'listen') return portTaken(port);
  // Nothing was asked of the system yet.
  if (tls !== null && syscall === undefined) {
    return new UserError('the files of --tls-cert and --tls-key are no certificate with its key');
  }
  return error;
}

const portTaken = (port: number): UserError =>
  new UserError(
    `port ${port} is in use, or may not be used: choose another with --port, or leave --port out for a free one`,
  );

function addPages(app: Hono<ViewBindings>, routes: ViewRoutes, document: string): void {
  const live = new LivePages();
  for (const { path } of routes.pages) app.get(path, (context) => context.html(document));
  for (const page of [...routes.pages, ...routes.parts]) {
    app.get(dataPath(page.path), (context) => sendData(context, page));
    app.get(`/events${page.path}`, (context) => sendEvents(context, live.of(context, page)));
  }
  for (const { path, act } of routes.actions) {
    app.post(`/actions${path}`, async (context) => {
      const body: unknown = await context.req.json().catch(() => null);
      try {
        const done = await act(parametersOf(context), body);
        live.hastenAll();
        return context.json({ done });
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        return context.json(
          { error: error.message },
          error.status === exitStatus.serviceUnreachable ? 503 : 409,
        );
      }
    });
  }
  for (const { path, html } of routes.documents) {
    app.get(path, async (context) => {
      try {
        const text = await html(parametersOf(context));
        // The document has a policy of its own. In a sandbox it is of no origin, and so cannot ask for the pages' data.
        context.header('Content-Security-Policy', "sandbox allow-scripts; frame-ancestors 'none'");
        return context.html(text);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        return context.text(`${error.message}\n`, 404);
      }
    });
  }
}

const dataPath = (path: string): string => `/data${path}`;

const parametersOf = (context: Context): PathParameters => context.req.param();

async function sendData(context: Context, page: ViewPage): Promise<Response> {
  try {
    const { data, refreshMs } = await page.load(parametersOf(context));
    return context.json({ data, isLive: refreshMs !== null });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return context.json({ error: error.message }, 404);
  }
}

/** The pages that somebody looks at, by their addresses. */
class LivePages {
  readonly #pages = new Map<string, LivePage>();

  of(context: Context, page: ViewPage): LivePage {
    const { path } = context.req;
    const known = this.#pages.get(path);
    if (known) return known;
    const parameters = parametersOf(context);
    const made = new LivePage(
      () => page.load(parameters),
      () => this.#pages.delete(path),
    );
    this.#pages.set(path, made);
    return made;
  }

  hastenAll(): void {
    for (const page of this.#pages.values()) page.hasten();
  }
}

const sendEvents = (context: Context, page: LivePage): Response =>
  streamSSE(context, async (stream) => {
    let written: Promise<unknown> = Promise.resolve();
    let leave: () => void = () => undefined;
    await new Promise<void>((resolve) => {
      const viewer = (event: LiveEvent): void => {
        const data = event.kind === 'end' ? '' : event.json;
        written = written.then(() => stream.writeSSE({ event: event.kind, data }));
        if (event.kind === 'end') resolve();
      };
      stream.onAbort(resolve);
      leave = page.watch(viewer);
    });
    leave();
    await written;
  });
