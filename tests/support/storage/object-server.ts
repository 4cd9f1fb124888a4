import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { goInstall } from '../../../worker/embedded/go-install.js';
import { withCacheLock } from '../../../worker/embedded/lock.js';
import { choosePorts } from '../../../worker/embedded/ports.js';
import { accepts } from '../../../worker/embedded/service.js';
import {
  cacheFolder,
  timedStep,
  type SetupContext,
} from '../../../worker/embedded/setup-context.js';

const version = 'v1.8.0';
const module = `github.com/versity/versitygw/cmd/versitygw@${version}`;

/** An object server of the test's own, with the bucket `runs`. */
export interface ObjectServer {
  /** What a process needs to find it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly bucket: string;
  readonly stop: () => Promise<void>;
}

/** Builds the server at its first use, as Temporal's is: three minutes, 60 MB. */
async function obtainObjectServer(): Promise<string> {
  const context: SetupContext = {
    cacheFolder: cacheFolder(process.env['TURNWISE_CACHE']),
    onStep: (text) => process.stderr.write(`${text}\n`),
    signal: AbortSignal.timeout(900_000),
  };
  const path = join(context.cacheFolder, `versitygw-${version}`, 'versitygw');
  if (await exists(path)) return path;
  return withCacheLock(context, 'object server', async () => {
    if (await exists(path)) return path;
    const draft = await mkdtemp(join(context.cacheFolder, 'versitygw-draft-'));
    try {
      const step = {
        what: 'object server for tests: building from source with Go',
        expectation: 'about 3 minutes, once',
      };
      const reason = await timedStep(context, step, () =>
        goInstall([module], draft, context.signal),
      );
      if (reason !== undefined) throw new Error(`The object server for tests: ${reason}.`);
      await mkdir(dirname(path), { recursive: true });
      await rename(join(draft, 'versitygw'), path);
      return path;
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  });
}

export async function startObjectServer(): Promise<ObjectServer> {
  const program = await obtainObjectServer();
  const data = await mkdtemp(join(tmpdir(), 'turnwise-objects-'));
  const { port } = await choosePorts({ port: { kind: 'any' } });
  const secret = 'not-a-secret';
  const environment = {
    AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: secret,
  };
  const server = spawn(
    program,
    [
      '--access',
      'test',
      '--secret',
      secret,
      '--port',
      `127.0.0.1:${port}`,
      '--quiet',
      'posix',
      data,
    ],
    { stdio: 'ignore' },
  );
  const ended = once(server, 'exit');
  while (!(await accepts(`127.0.0.1:${port}`))) {
    if (server.exitCode !== null) throw new Error(`The object server ended: ${server.exitCode}.`);
    await sleep(20);
  }
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
    environment,
    bucket,
    stop: async () => {
      server.kill();
      await ended;
      await rm(data, { recursive: true, force: true });
    },
  };
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
