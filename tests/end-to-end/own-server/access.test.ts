import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { namedServer, type ServerSettings } from '../../../temporal/server-settings.js';
import { certificate, certificatePath } from '../../support/own-server/certificates.js';
import {
  checkout,
  eventually,
  newHome,
  turnwise,
  type Finished,
} from '../../support/command-line.js';
import { startKeyIssuer, type KeyIssuer } from '../../support/own-server/api-keys.js';
import {
  createNamespace,
  startOwnServer,
  startTimeoutMs,
  type OwnServer,
} from '../../../bench/servers/own-server.js';
import { withoutPostgres } from '../../support/own-server/without-postgres.js';

const namespace = 'benchmarks';
const create =
  'temporal operator search-attribute create --namespace benchmarks --name TurnwiseRun --type Keyword ';

describe.skipIf(withoutPostgres)('a Temporal server with TLS and API keys', () => {
  const home = newHome();
  let server: OwnServer;
  let issuer: KeyIssuer;
  let settings: Record<string, string>;

  const command = (args: readonly string[], key?: string): Promise<Finished> =>
    turnwise(args, { ...settings, ...(key !== undefined && { TEMPORAL_API_KEY: key }) }).finished;
  const worker = (key?: string): Promise<Finished> => command(['worker'], key);

  beforeAll(async () => {
    issuer = await startKeyIssuer();
    server = await startOwnServer({
      tls: {
        cert: certificate('server'),
        key: certificate('server-key'),
        clientCa: certificate('ca'),
      },
      jwksUrl: issuer.jwksUrl,
    });
    settings = {
      TURNWISE_HOME: home,
      TEMPORAL_ADDRESS: server.address,
      TEMPORAL_NAMESPACE: namespace,
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: certificatePath('ca'),
      TEMPORAL_TLS_SERVER_NAME: 'temporal.example',
      TEMPORAL_TLS_CLIENT_CERT_PATH: certificatePath('client'),
      TEMPORAL_TLS_CLIENT_KEY_PATH: certificatePath('client-key'),
      // A worker asks Milvus for nothing before it has work.
      MILVUS_ADDRESS: '127.0.0.1:1',
    };
    const admin: ServerSettings | undefined = namedServer({
      ...settings,
      TEMPORAL_API_KEY: issuer.issue('temporal-system:admin'),
    });
    if (admin === undefined) throw new Error('no server is named');
    await createNamespace(admin, 1);
  }, startTimeoutMs);

  afterAll(async () => {
    issuer.close();
    await server.stop();
  });

  it('ends a worker and a command without TLS', async () => {
    const plain = {
      TURNWISE_HOME: home,
      TEMPORAL_ADDRESS: server.address,
      MILVUS_ADDRESS: '127.0.0.1:1',
    };
    const sentence = `turnwise: Temporal at ${server.address} expects TLS: set TEMPORAL_TLS=true\n`;
    for (const args of [
      ['worker'],
      ['store', 'add', join(checkout, 'examples/papers'), '--store', 's'],
    ]) {
      expect(await turnwise(args, plain).finished).toMatchObject({ status: 3, stderr: sentence });
    }
  });

  it.each([
    ['no key', [], 'asks for an API key: set TEMPORAL_API_KEY'],
    [
      'a key that nobody has issued',
      ['e30.e30.e30'],
      'refuses the API key: correct TEMPORAL_API_KEY',
    ],
  ])('ends a worker with %s', async (_case, keys, sentence) => {
    expect(await worker(...keys)).toMatchObject({
      status: 2,
      stderr: `turnwise: Temporal at ${server.address} ${sentence}\n`,
    });
  });

  it('ends a worker with a key for another namespace', async () => {
    expect(await worker(issuer.issue('other:admin'))).toMatchObject({
      status: 2,
      stderr: `turnwise: Temporal at ${server.address} refuses namespace benchmarks to this API key: correct TEMPORAL_API_KEY or TEMPORAL_NAMESPACE\n`,
    });
  });

  it('ends a worker that may not create search attributes, with the command that does', async () => {
    const { status, stderr } = await worker(issuer.issue('benchmarks:write'));
    expect(status).toBe(2);
    expect(stderr).toContain(
      'turnwise: namespace benchmarks lacks the search attributes TurnwiseRun,',
    );
    expect(stderr).toContain(`: whoever may create them runs \`${create}`);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('has them created by a worker with more rights, and lets the other work then', async () => {
    for (const right of ['admin', 'write']) {
      const own = {
        ...settings,
        TURNWISE_TASK_QUEUE: right,
        TEMPORAL_API_KEY: issuer.issue(`benchmarks:${right}`),
      };
      const { child, finished } = turnwise(['worker'], own);
      const doctor = await eventually(async () => {
        const { stdout } = await turnwise(['doctor'], own).finished;
        return stdout.includes('; 1 worker on ') ? stdout : null;
      });
      expect(doctor).toContain('benchmarks; keeps histories for 1 day after their end\n');
      child.kill('SIGTERM');
      expect(await finished).toMatchObject({ status: 0 });
    }
  });
});
