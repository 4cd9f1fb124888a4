import { createSecureServer, createServer, type Http2Server } from 'node:http2';
import { createServer as createTcpServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { explainFailure } from '../../temporal/explain-failure.js';
import { namedServer } from '../../temporal/server-settings.js';
import { certificate, certificatePath } from '../support/own-server/certificates.js';

const unauthenticated = 16;
const unavailable = 14;

async function listening(server: Server | Http2Server): Promise<string> {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(() => {
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Answers every call of gRPC with one status. */
function answering<T extends Http2Server>(server: T, code: number): T {
  server.on('stream', (stream) => {
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': String(code) },
      { endStream: true },
    );
  });
  return server;
}

const plain = (code = unavailable): Promise<string> => listening(answering(createServer(), code));

const secure = (options: Parameters<typeof createSecureServer>[0] = {}): Promise<string> =>
  listening(
    answering(
      createSecureServer({
        cert: certificate('server'),
        key: certificate('server-key'),
        ...options,
      }),
      unauthenticated,
    ),
  );

async function explain(
  address: string,
  variables: Readonly<Record<string, string>> = {},
  node?: string,
): Promise<string> {
  const server = namedServer({ ...variables, TEMPORAL_ADDRESS: address });
  if (server === undefined) throw new Error('no server is named');
  const { what, remedy, status } = await explainFailure(server, node);
  return `${status} ${what.replaceAll(address, 'HERE')}: ${remedy}`;
}

const authority = { TEMPORAL_TLS_SERVER_CA_CERT_PATH: certificatePath('ca') };
const trust = { ...authority, TEMPORAL_TLS_SERVER_NAME: 'temporal.example' };
const identity = {
  TEMPORAL_TLS_CLIENT_CERT_PATH: certificatePath('client'),
  TEMPORAL_TLS_CLIENT_KEY_PATH: certificatePath('client-key'),
};

describe('why a Temporal server cannot be used', () => {
  it('nobody listens there', async () => {
    const address = await plain();
    const free = `127.0.0.1:${Number(address.split(':')[1]) === 1 ? 2 : 1}`;
    expect(await explain(free)).toBe(
      '3 Temporal does not answer at HERE (the connection is refused): start the server there, or correct TEMPORAL_ADDRESS',
    );
  });

  it('the address is none', async () => {
    expect(await explain('a:b:c')).toMatch(/^2 “HERE” is no address of a Temporal server: /);
  });

  it('another program listens there', async () => {
    const other = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.end('SSH-2.0-other\r\n');
    });
    expect(await explain(await listening(other))).toMatch(
      /^3 what answers at HERE is no Temporal server, or is not ready: /,
    );
  });

  it('it is not ready', async () => {
    expect(await explain(await plain(unavailable))).toMatch(/or is not ready: /);
  });

  it('it asks for a key', async () => {
    expect(await explain(await plain(unauthenticated))).toBe(
      '2 Temporal at HERE asks for an API key: set TEMPORAL_API_KEY',
    );
  });

  it('it refuses the key', async () => {
    expect(await explain(await secure(), { ...trust, TEMPORAL_API_KEY: 'wrong' })).toBe(
      '2 Temporal at HERE refuses the API key: correct TEMPORAL_API_KEY',
    );
  });

  it('it expects TLS', async () => {
    expect(await explain(await secure())).toBe(
      '3 Temporal at HERE expects TLS: set TEMPORAL_TLS=true',
    );
  });

  it('it does not speak TLS', async () => {
    expect(await explain(await plain(), { TEMPORAL_TLS: 'true' })).toBe(
      '3 Temporal at HERE does not speak TLS: unset TEMPORAL_TLS, or set it to false where there is an API key',
    );
  });

  it('its certificate is signed by nobody who is known', async () => {
    expect(await explain(await secure(), { TEMPORAL_TLS: 'true' })).toBe(
      '3 the certificate of Temporal at HERE is signed by nobody whom this machine trusts: set TEMPORAL_TLS_SERVER_CA_CERT_PATH to the certificate of who has signed it',
    );
  });

  it('its certificate is for another name', async () => {
    const named = { ...trust, TEMPORAL_TLS_SERVER_NAME: 'other.example' };
    expect(await explain(await secure(), named)).toMatch(
      /^3 the certificate of Temporal at HERE is for another name: set TEMPORAL_TLS_SERVER_NAME /,
    );
  });

  it('its address is no name, and this version of Node wants one', async () => {
    const address = await secure();
    expect(await explain(address, authority, '26.10.0')).toBe(
      '3 the certificate of Temporal at HERE cannot be checked by an IP address with this version of Node: set TEMPORAL_TLS_SERVER_NAME to a name in it, or name the server in TEMPORAL_ADDRESS',
    );
    expect(await explain(address, trust, '26.10.0')).toMatch(/asks for an API key/);
  });

  it('it asks for the certificate of the client, and takes it', async () => {
    const address = await secure({
      requestCert: true,
      rejectUnauthorized: true,
      ca: certificate('ca'),
    });
    expect(await explain(address, trust)).toMatch(
      /^3 Temporal at HERE ends the TLS connection: if it asks .* set TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH$/,
    );
    expect(await explain(address, { ...trust, ...identity })).toMatch(/asks for an API key/);
  });

  it('the key of the client does not belong to its certificate', async () => {
    const mixed = { ...identity, TEMPORAL_TLS_CLIENT_KEY_PATH: certificatePath('server-key') };
    expect(await explain(await secure(), { ...trust, ...mixed })).toMatch(
      /^2 the certificates or the key for TLS cannot be read as PEM, or do not belong together: /,
    );
  });
});
