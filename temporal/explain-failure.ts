import { Connection } from '@temporalio/client';
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp, isIP } from 'node:net';
import { connect as connectTls, createSecureContext, type SecureContextOptions } from 'node:tls';
import type { ServerTrouble } from '../domain/services.js';
import { UserError } from '../domain/user-error.js';
import type { ServerSettings } from './server-settings.js';

const answerWithinMs = 5_000;

/**
 * Why no connection to a server could be made: tries again what a connection consists of, step by step, since the libraries
 * report most of it as one error.
 * @param node - the version of Node that connects
 */
export async function explainFailure(
  { connection }: ServerSettings,
  node: string = process.versions.node,
): Promise<ServerTrouble> {
  const { address } = connection;
  const place = placeOf(address);
  if (place === undefined) {
    return {
      what: `“${address}” is no address of a Temporal server`,
      remedy: 'correct TEMPORAL_ADDRESS; it looks like 127.0.0.1:7233',
      status: 2,
    };
  }
  const unreachable = await tryTcp(place);
  if (unreachable !== null) return silent(address, unreachable);
  const tls = tlsOf(connection.tls);
  return (
    (tls === null
      ? await explainPlain(place, address)
      : await explainTls(place, address, tls, node)) ?? explainCall(connection)
  );
}

/** What became of a connection attempt: null if it was made, else the code of the error. */
type Outcome = string | null;

interface Place {
  readonly host: string;
  readonly port: number;
}

function placeOf(address: string): Place | undefined {
  const { host, port = '7233' } =
    /^(?:https?:\/\/)?(?:\[(?<ip6>[\da-f:.]+)\]|(?<host>[^:/]+))(?::(?<port>\d+))?$/i.exec(address)
      ?.groups ?? {};
  return host === undefined ? undefined : { host, port: Number(port) };
}

function tryTcp({ host, port }: Place): Promise<Outcome> {
  return new Promise((resolve) => {
    const socket = connectTcp({ host, port, timeout: answerWithinMs });
    const end = (outcome: Outcome): void => {
      socket.destroy();
      resolve(outcome);
    };
    socket.once('connect', () => end(null));
    socket.once('timeout', () => end('ETIMEDOUT'));
    socket.once('error', (error) => end(codeOf(error)));
  });
}

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection is refused',
  ENOTFOUND: 'there is no host of this name',
  EAI_AGAIN: 'its name cannot be looked up now',
  ETIMEDOUT: `no answer within ${answerWithinMs / 1000} s`,
  EHOSTUNREACH: 'there is no way to this host',
  ENETUNREACH: 'there is no way to this network',
};

const silent = (address: string, code: string): ServerTrouble => ({
  what: `Temporal does not answer at ${address} (${words[code] ?? code})`,
  remedy: 'start the server there, or correct TEMPORAL_ADDRESS',
  status: 3,
});

type Tls = SecureContextOptions & { readonly servername?: string };

function tlsOf(tls: ServerSettings['connection']['tls']): Tls | null {
  if (!tls) return null;
  if (tls === true) return {};
  const { serverNameOverride, serverRootCACertificate, clientCertPair } = tls;
  return {
    ...(serverNameOverride && { servername: serverNameOverride }),
    ...(serverRootCACertificate && { ca: Buffer.from(serverRootCACertificate) }),
    ...(clientCertPair && {
      cert: Buffer.from(clientCertPair.crt),
      key: Buffer.from(clientCertPair.key),
    }),
  };
}

/** Speaks HTTP/2, as gRPC does, until the server has said its part of the greeting. */
function tryHttp2({ host, port }: Place, tls: Tls | null): Promise<Outcome> {
  return new Promise((resolve) => {
    const url = `${tls === null ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
    const session = connectHttp2(url, {
      // Node itself would send an address as the name of the server, which is deprecated.
      ...(tls && {
        createConnection: () => connectTls({ ...tls, host, port, ALPNProtocols: ['h2'] }),
      }),
    });
    const timer = setTimeout(() => end('ETIMEDOUT'), answerWithinMs);
    const end = (outcome: Outcome): void => {
      clearTimeout(timer);
      session.destroy();
      resolve(outcome);
    };
    session.once('remoteSettings', () => end(null));
    session.once('close', () => end('ECONNRESET'));
    session.on('error', (error: Error) => end(codeOf(error)));
  });
}

/** Whether a server answers the greeting of TLS, even if it then asks for a certificate. */
function speaksTls({ host, port }: Place): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connectTls({
      ...{ host, port, timeout: answerWithinMs, ALPNProtocols: ['h2'] },
      // Nothing is sent to it.
      rejectUnauthorized: false,
    });
    const end = (speaks: boolean): void => {
      socket.destroy();
      resolve(speaks);
    };
    socket.once('secureConnect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.on('error', () => end(false));
  });
}

const codeOf = (error: Error): string =>
  'code' in error && typeof error.code === 'string' ? error.code : 'no answer';

async function explainPlain(place: Place, address: string): Promise<ServerTrouble | null> {
  if ((await tryHttp2(place, null)) === null) return null;
  if (!(await speaksTls(place))) return stranger(address);
  return {
    what: `Temporal at ${address} expects TLS`,
    remedy: 'set TEMPORAL_TLS=true',
    status: 3,
  };
}

async function explainTls(
  place: Place,
  address: string,
  tls: Tls,
  node: string,
): Promise<ServerTrouble | null> {
  try {
    createSecureContext(tls);
  } catch {
    return {
      what: 'the certificates or the key for TLS cannot be read as PEM, or do not belong together',
      remedy:
        'check TEMPORAL_TLS_CLIENT_CERT_PATH, TEMPORAL_TLS_CLIENT_KEY_PATH and TEMPORAL_TLS_SERVER_CA_CERT_PATH',
      status: 2,
    };
  }
  const outcome = await tryHttp2(place, tls);
  if (outcome === null)
    return wantsName(place, tls, node) ? certificateTrouble(address, named) : null;
  const flaw = certificateFlaws[outcome];
  if (flaw !== undefined) return certificateTrouble(address, flaw);
  if ((await tryHttp2(place, null)) === null) {
    return {
      what: `Temporal at ${address} does not speak TLS`,
      remedy: 'unset TEMPORAL_TLS, or set it to false where there is an API key',
      status: 3,
    };
  }
  // A server that does not accept this client says so after the greeting of TLS, in various ways.
  return {
    what: `Temporal at ${address} ends the TLS connection`,
    remedy: tls.cert
      ? 'check that it accepts the certificate in TEMPORAL_TLS_CLIENT_CERT_PATH'
      : 'if it asks for a certificate of its clients, set TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH',
    status: 3,
  };
}

type Flaw = readonly [what: string, remedy: string];

const untrusted: Flaw = [
  'is signed by nobody whom this machine trusts',
  'set TEMPORAL_TLS_SERVER_CA_CERT_PATH to the certificate of who has signed it',
];

/** By the codes of OpenSSL and Node. */
const certificateFlaws: Readonly<Record<string, Flaw>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  CERT_SIGNATURE_FAILURE: untrusted,
  CERT_HAS_EXPIRED: ['has expired', 'renew it on the server'],
  CERT_NOT_YET_VALID: ['is not valid yet', 'check the clocks of both machines'],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'is for another name',
    'set TEMPORAL_TLS_SERVER_NAME to the name in it, or correct TEMPORAL_ADDRESS',
  ],
};

/** gRPC's library gives an IP address as the name of the server, which Node takes no more since version 26. */
const wantsName = ({ host }: Place, { servername }: Tls, node: string): boolean =>
  servername === undefined && isIP(host) !== 0 && Number.parseInt(node) >= 26;

const named: Flaw = [
  'cannot be checked by an IP address with this version of Node',
  'set TEMPORAL_TLS_SERVER_NAME to a name in it, or name the server in TEMPORAL_ADDRESS',
];

const certificateTrouble = (address: string, [what, remedy]: Flaw): ServerTrouble => ({
  what: `the certificate of Temporal at ${address} ${what}`,
  remedy,
  status: 3,
});

const stranger = (address: string): ServerTrouble => ({
  what: `what answers at ${address} is no Temporal server, or is not ready`,
  remedy: 'correct TEMPORAL_ADDRESS, or try again',
  status: 3,
});

/** The connection can be made: it is a call that fails. */
async function explainCall(options: ServerSettings['connection']): Promise<ServerTrouble> {
  const connection = Connection.lazy(options);
  try {
    await connection.withDeadline(Date.now() + answerWithinMs, () =>
      connection.workflowService.getSystemInfo({}),
    );
    return stranger(options.address);
  } catch (error) {
    return isRefusal(error)
      ? refusedKey(options.address, options.apiKey)
      : stranger(options.address);
  } finally {
    await connection.close();
  }
}

/** Makes a connection; rejects with a UserError that says in one sentence why there is none. */
export async function connectedOr<T>(
  settings: ServerSettings,
  connect: () => Promise<T>,
): Promise<T> {
  try {
    return await connect();
  } catch {
    // The reason is found out again, and better.
    throw troubleError(await explainFailure(settings));
  }
}

/** What a command says, and ends with. */
export const troubleError = ({ what, remedy, status }: ServerTrouble): UserError =>
  new UserError(`${what}: ${remedy}`, status);

/** The numbers of gRPC that say what is wrong. */
export const grpcStatus = {
  invalidArgument: 3,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  unimplemented: 12,
  unauthenticated: 16,
} as const;

/** The status of a failed call; undefined for any other error. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'number'
    ? error.code
    : undefined;
}

/** The client wraps the error of a call in one of its own. */
export const isInvalidArgument = (error: unknown): boolean =>
  [error, error instanceof Error ? error.cause : undefined].some(
    (one) => statusOf(one) === grpcStatus.invalidArgument,
  );

export const isRefusal = (error: unknown): boolean => {
  const status = statusOf(error);
  return status === grpcStatus.permissionDenied || status === grpcStatus.unauthenticated;
};

/** A server that lets nobody in without a key, or not with this one. */
export const refusedKey = (address: string, apiKey: unknown): ServerTrouble =>
  apiKey === undefined
    ? {
        what: `Temporal at ${address} asks for an API key`,
        remedy: 'set TEMPORAL_API_KEY',
        status: 2,
      }
    : {
        what: `Temporal at ${address} refuses the API key`,
        remedy: 'correct TEMPORAL_API_KEY',
        status: 2,
      };
