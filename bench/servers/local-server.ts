import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { obtainMilvusLite } from '../../worker/embedded/python-engines.js';
import { accepts, choosePorts } from '../../worker/embedded/service.js';
import { cacheFolder } from '../../worker/embedded/setup-context.js';
import { obtainPrograms } from './built-programs.js';

/** A server of a test's own that can go away and come back. */
interface LocalServer {
  /** As a power failure would: SIGKILL. */
  readonly kill: () => Promise<void>;
  /** SIGSTOP: it keeps its connections and answers nothing, until SIGCONT. */
  readonly signal: (signal: 'SIGSTOP' | 'SIGCONT') => void;
  /** Again, on the same port and data. */
  readonly start: () => Promise<void>;
}

/** Starts a program that listens at `address`, and waits until it accepts connections. */
async function startLocalServer(
  what: string,
  address: string,
  [program, ...args]: readonly [string, ...string[]],
): Promise<LocalServer> {
  let server: ChildProcess;
  const start = async (): Promise<void> => {
    server = spawn(program, args, { stdio: 'ignore' });
    while (!(await accepts(address))) {
      if (server.exitCode !== null) throw new Error(`${what} ended with ${server.exitCode}.`);
      await sleep(20);
    }
  };
  await start();
  return {
    kill: () => endOf(server, 'SIGKILL'),
    signal: (signal) => void server.kill(signal),
    start,
  };
}

/** Ends a process, which may have ended by itself. */
export async function endOf(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

const longestLog = 20_000;

/** Starts a program, and waits until it says that it is ready. */
export async function startThatSays(
  what: string,
  ready: string,
  [program, ...args]: readonly [string, ...string[]],
  options: SpawnOptions = {},
): Promise<ChildProcess> {
  const server = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  await new Promise<void>((resolve, reject) => {
    for (const stream of [server.stdout, server.stderr]) {
      stream.on('data', (text: Buffer) => {
        log = (log + text.toString()).slice(-longestLog);
        if (log.includes(ready)) resolve();
      });
    }
    server.once('exit', () => reject(new Error(`${what} ended: ${log}`)));
    server.once('error', reject);
  });
  return server;
}

/** A Milvus Lite server of a test's own, on a free port and with a folder that goes with it. */
export interface TestMilvus extends LocalServer {
  readonly address: string;
  /** For good. */
  readonly remove: () => Promise<void>;
}

/** @param within - the folder of its data's folder */
export async function startMilvusLite(within = tmpdir()): Promise<TestMilvus> {
  const { python } = await obtainMilvusLite({
    cacheFolder: cacheFolder(process.env['TURNWISE_CACHE']),
    onStep: () => undefined,
    signal: AbortSignal.timeout(600_000),
  });
  const data = mkdtempSync(join(within, 'turnwise-milvus-'));
  const { port } = await choosePorts({ port: { kind: 'any' } });
  const address = `127.0.0.1:${port}`;
  const server = await startLocalServer('Milvus Lite', address, [
    python,
    ...['-m', 'milvus_lite', 'server', '--data-dir', data],
    ...['--host', '127.0.0.1', '--port', String(port)],
  ]);
  return {
    ...server,
    address,
    remove: async () => {
      await server.kill();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

const version = 'v1.8.0';

/** An object server of a test's own, with the bucket `runs`. */
export interface ObjectServer extends LocalServer {
  /** What a process needs to find it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly bucket: string;
  /** For good. */
  readonly stop: () => Promise<void>;
}

/** Three minutes, 60 MB. */
export const objectServerSource = {
  what: 'object server',
  folder: `versitygw-${version}`,
  modules: [`github.com/versity/versitygw@${version}`],
  packages: ['github.com/versity/versitygw/cmd/versitygw'],
  programs: ['versitygw'],
  expectation: 'about 3 minutes, once',
};

/** @param within - the folder of its data's folder */
export async function startObjectServer(within = tmpdir()): Promise<ObjectServer> {
  const program = join(await obtainPrograms(objectServerSource), 'versitygw');
  const data = await mkdtemp(join(within, 'turnwise-objects-'));
  const { port } = await choosePorts({ port: { kind: 'any' } });
  const address = `127.0.0.1:${port}`;
  const secret = 'not-a-secret';
  const environment = {
    AWS_ENDPOINT_URL: `http://${address}`,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: secret,
  };
  const server = await startLocalServer('The object server', address, [
    program,
    ...['--access', 'test', '--secret', secret, '--port', address, '--quiet', 'posix', data],
  ]);
  // It would be said at each start of a test. The client is pinned, and works with Node 20.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  const client = new S3Client({
    endpoint: environment.AWS_ENDPOINT_URL,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: 'test', secretAccessKey: secret },
  });
  const bucket = 'runs';
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  client.destroy();
  return {
    ...server,
    environment,
    bucket,
    stop: async () => {
      await server.kill();
      await rm(data, { recursive: true, force: true });
    },
  };
}
