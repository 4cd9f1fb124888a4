import { hostname, networkInterfaces } from 'node:os';
import { UserError } from '../../../domain/user-error.js';

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

export const schemeOf = ({ tls }: ViewHost): 'http' | 'https' => (tls === null ? 'http' : 'https');

/** The address that people open. */
export const urlOf = (at: ViewHost, port: number, token: string): string =>
  `${schemeOf(at)}://${inUrl(isEveryAddress(at.host) ? hostname() : at.host)}:${port}/?token=${token}`;
