import { join } from 'node:path';
import { accepts, untilHealthy } from './health.js';
import type { Home } from './home.js';
import type { MilvusLiteEngine } from './milvus-lite-engine.js';
import type { ServiceSpec } from './service.js';

interface MilvusPlan {
  readonly engine: MilvusLiteEngine;
  readonly home: Home;
  readonly port: number;
}

/** Milvus Lite over gRPC. Only one process may have a data folder open. */
export function milvusLite({ engine, home, port }: MilvusPlan): ServiceSpec {
  const address = `127.0.0.1:${port}`;
  const data = join(home.path, 'milvus');
  const where = ['--data-dir', data, '--host', '127.0.0.1', '--port', String(port)];
  return {
    name: 'milvus',
    command: engine.python,
    args: ['-m', 'milvus_lite', 'server', ...where],
    env: { ...process.env, PYTHONUNBUFFERED: '1' },
    logPath: home.logPath('milvus'),
    commandMark: data,
    channel: 'none',
    startTimeoutMs: 120_000,
    stopGraceMs: 10_000,
    // It opens its port when all else is done.
    ready: (_child, signal) => untilHealthy(() => accepts(address), signal),
  };
}

/** The version of any healthy Milvus, undefined when it does not answer or is unwell. */
export async function milvusVersion(target: {
  readonly address: string;
  readonly token?: string | undefined;
}): Promise<string | undefined> {
  const { address, token } = target;
  // Loaded only where it is asked: it takes longer to load than to answer.
  const [{ MilvusClient }, { withoutIdlePings }] = await Promise.all([
    import('@zilliz/milvus2-sdk-node'),
    import('../adapters/milvus-client.js'),
  ]);
  const client = new MilvusClient({
    address,
    ...(token && { token }),
    timeout: 3_000,
    logLevel: 'error',
    channelOptions: withoutIdlePings,
  });
  try {
    await client.connectPromise;
    const { isHealthy } = await client.checkHealth();
    return isHealthy ? (await client.getVersion()).version : undefined;
  } catch {
    return undefined;
  } finally {
    await client.closeConnection();
  }
}
