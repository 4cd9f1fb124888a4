import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { choosePorts } from '../../../worker/embedded/ports.js';
import { accepts } from '../../../worker/embedded/service.js';
import { obtainPrograms } from '../built-programs.js';

const version = 'v1.8.0';

/** An object server of the test's own, with the bucket `runs`. */
export interface ObjectServer {
  /** What a process needs to find it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly bucket: string;
  readonly stop: () => Promise<void>;
}

/** Three minutes, 60 MB. */
const source = {
  what: 'object server',
  folder: `versitygw-${version}`,
  modules: [`github.com/versity/versitygw/cmd/versitygw@${version}`],
  programs: ['versitygw'],
  expectation: 'about 3 minutes, once',
};

export async function startObjectServer(): Promise<ObjectServer> {
  const program = join(await obtainPrograms(source), 'versitygw');
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
