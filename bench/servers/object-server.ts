import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { choosePorts } from '../../worker/embedded/service.js';
import { obtainPrograms } from './built-programs.js';
import { startLocalServer, type LocalServer } from './local-server.js';

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
