import { join } from 'node:path';
import type { Home } from './home.js';
import type { MilvusLiteEngine } from './python-engines.js';
import { accepts, untilHealthy, type ServiceSpec } from './service.js';

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
    // Milvus Lite opens its port as its last step.
    ready: (_child, signal) => untilHealthy(() => accepts(address), signal),
  };
}

/** The version of a Milvus; undefined if it does not answer or is not healthy. */
export async function milvusVersion(target: {
  readonly address: string;
  readonly token?: string | undefined;
}): Promise<string | undefined> {
  const { address, token } = target;
  // Loaded only here, since loading takes longer than the request.
  const [{ MilvusClient }, { withoutIdlePings }] = await Promise.all([
    import('@zilliz/milvus2-sdk-node'),
    import('../adapters/milvus/client.js'),
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

const meanings: readonly (readonly [RegExp, string])[] = [
  [/address already in use|EADDRINUSE/i, 'another program took its port in the meantime'],
  [/no space left on device|ENOSPC|disk is full/i, 'the disk is full'],
  [/database is locked/i, 'another process has its database open'],
  [/file is not a database|database disk image is malformed/i, 'its database file is damaged'],
  [/permission denied|EACCES|read-only file system|EROFS/i, 'it may not write where it should'],
  [/ModuleNotFoundError|ImportError/, 'its Python packages are incomplete'],
  [/GLIBC_|illegal instruction|exec format error/i, 'its binary does not fit this machine'],
  [/cannot allocate memory|out of memory|MemoryError/i, 'memory ran out'],
];

const complaint = /error|fatal|panic|fail|exception|unable|cannot|refus/i;
const longestQuote = 200;

/** Why a service died, as a clause, from the end of its log; undefined if that is empty. */
export function logMeaning(tail: string): string | undefined {
  const known = meanings.find(([pattern]) => pattern.test(tail));
  if (known) return known[1];
  const lines = tail.split('\n').map((line) => line.trim());
  const quoted = lines.findLast((line) => complaint.test(line)) ?? lines.findLast(Boolean);
  return quoted && `it said “${quoted.slice(0, longestQuote)}”`;
}
