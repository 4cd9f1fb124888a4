import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import type { Context, MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { hostname, networkInterfaces } from 'node:os';
import { UserError } from '../../../domain/user-error.js';

export interface ViewBindings {
  readonly Bindings: HttpBindings;
}

/** The secrets of one `turnwise view`, new at each start. */
interface ViewSecrets {
  /** In the address that is opened. It is exchanged for the cookie. */
  readonly token: string;
  /** In the cookie, which scripts cannot read. */
  readonly session: string;
  /** In the page, which sends it with every action. Pages of other servers cannot read it. */
  readonly action: string;
}

export function newSecrets(): ViewSecrets {
  const secret = (): string => randomBytes(24).toString('base64url');
  return { token: secret(), session: secret(), action: secret() };
}

/** The header of an action's request. */
const actionHeader = 'x-turnwise-action';

/** The page's own script, style and data, and pictures in data URLs: nothing from elsewhere, nothing inline. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Headers of every response. A route may replace the content security policy. */
export const securityHeaders: MiddlewareHandler<ViewBindings> = async (context, next) => {
  context.header('Content-Security-Policy', policy);
  context.header('X-Content-Type-Options', 'nosniff');
  context.header('Referrer-Policy', 'no-referrer');
  context.header('Cross-Origin-Opener-Policy', 'same-origin');
  context.header('Cross-Origin-Resource-Policy', 'same-origin');
  context.header('Cache-Control', 'no-store');
  await next();
};

/**
 * Lets a request pass only if it is for this server by name (a foreign name may lead to 127.0.0.1), from one of its own pages,
 * and from a browser that was given the token.
 */
export const guard =
  (secrets: ViewSecrets, at: ViewHost): MiddlewareHandler<ViewBindings> =>
  async (context, next) => {
    const port = portOf(context);
    const { host, origin, 'sec-fetch-site': site } = context.req.header();
    if (host === undefined || !hostsOf(at, port).includes(host))
      return refused(context, 'of another host');
    const isAction = context.req.method !== 'GET' && context.req.method !== 'HEAD';
    if (origin === undefined ? isAction : origin !== `${schemeOf(at)}://${host}`) {
      return refused(context, 'from another page');
    }
    const token = context.req.query('token');
    const opens = token !== undefined && isSecret(token, secrets.token) && !isAction;
    // A link in another page or program may open a page with its token, and nothing else.
    if (site !== undefined && site !== 'same-origin' && site !== 'none' && !opens) {
      return refused(context, 'from another site');
    }
    if (opens) {
      setCookie(context, cookieName(port), secrets.session, {
        httpOnly: true,
        sameSite: 'Strict',
        secure: at.tls !== null,
        path: '/',
      });
      return context.redirect(context.req.path, 303);
    }
    if (!isSecret(getCookie(context, cookieName(port)) ?? '', secrets.session)) {
      return refused(context, 'without the token');
    }
    if (isAction && !isSecret(context.req.header(actionHeader) ?? '', secrets.action)) {
      return refused(context, 'without the token of the page');
    }
    await next();
    return undefined;
  };

/** Cookies are of a host, whatever its port: two views must not take each other's. */
const cookieName = (port: number): string => `turnwise-view-${port}`;

/** A connection that is open has a port. */
export const portOf = (context: Context<ViewBindings>): number =>
  context.env.incoming.socket.localPort ?? 0;

export const refused = (context: Context<ViewBindings>, why: string): Response =>
  context.text(
    `This request is refused (${why}). Open the address that \`turnwise view\` has printed.\n`,
    403,
  );

/** Takes the same time for whatever is given. */
export function isSecret(given: string, secret: string): boolean {
  const [a, b] = [given, secret].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}

/** Where the view listens, and how. */
export interface ViewHost {
  /** An address or a name of this machine, or `0.0.0.0` or `::` for all of its addresses. */
  readonly host: string;
  /** PEM. Null for HTTP without TLS. */
  readonly tls: { readonly cert: string; readonly key: string } | null;
}

/** For the user of this machine only. */
export const thisMachine: ViewHost = { host: '127.0.0.1', tls: null };

const isLoopback = (host: string): boolean =>
  /^127(\.\d{1,3}){3}$/.test(host) || host === '::1' || host === 'localhost';

const isEveryAddress = (host: string): boolean => host === '0.0.0.0' || host === '::';

/** Throws UserError where others could read what is sent, unless that is wanted. */
export function requireSafe({ host, tls }: ViewHost, isInsecureWanted: boolean): void {
  if (isLoopback(host) || tls !== null || isInsecureWanted) return;
  throw new UserError(
    `on ${host}, everybody on the network could read the token and all pages: give --tls-cert and --tls-key, or --insecure-host if the network is yours alone`,
  );
}

/** As it is in an address. */
const inUrl = (name: string): string => (name.includes(':') ? `[${name}]` : name);

/**
 * What browsers may call this server, each with its port. Any other name in a request is one that somebody has made lead here.
 */
export function hostsOf({ host }: ViewHost, port: number): readonly string[] {
  const all = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .map(({ address }) => address);
  const names = isEveryAddress(host) ? [hostname(), ...all] : [host];
  return [...new Set(['127.0.0.1', 'localhost', ...names])].map(
    (name) => `${inUrl(name.toLowerCase())}:${port}`,
  );
}

const schemeOf = ({ tls }: ViewHost): 'http' | 'https' => (tls === null ? 'http' : 'https');

/** The address that people open. */
export const urlOf = (at: ViewHost, port: number, token: string): string =>
  `${schemeOf(at)}://${inUrl(isEveryAddress(at.host) ? hostname() : at.host)}:${port}/?token=${token}`;
