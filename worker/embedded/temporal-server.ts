import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Connection, ConnectionOptions } from '@temporalio/client';
import { searchAttributes } from '../../domain/ids.js';
import type { Home } from './home.js';
import { accepts, untilHealthy, type ServiceSpec } from './service.js';
import { workersOf } from '../../domain/home.js';

interface TemporalPlan {
  readonly executable: string;
  readonly home: Home;
  readonly namespace: string;
  readonly port: number;
  readonly uiPort: number;
}

const callWithinMs = 3_000;

/** The development server, with its state in one SQLite file and the settings measured in docs/decisions/0002. */
export function temporalServer(plan: TemporalPlan): ServiceSpec {
  const { executable, home, namespace, port, uiPort } = plan;
  const database = join(home.path, 'temporal', 'temporal.db');
  mkdirSync(join(home.path, 'temporal'), { recursive: true });
  const flags = {
    '--ip': ['127.0.0.1'],
    '--port': [String(port)],
    '--ui-port': [String(uiPort)],
    '--db-filename': [database],
    '--namespace': namespace === 'default' ? [] : [namespace],
    '--sqlite-pragma': ['journal_mode=WAL', 'synchronous=NORMAL'],
    '--dynamic-config-value': [
      'history.transferProcessorMaxPollRPS=2000',
      // By default a queue has four partitions, and a task waits in a partition without a poller.
      'matching.numTaskqueueReadPartitions=1',
      'matching.numTaskqueueWritePartitions=1',
      'system.enableActivityEagerExecution=true',
    ],
    '--search-attribute': Object.values(searchAttributes).map((name) => `${name}=Keyword`),
  };
  return {
    name: 'temporal',
    command: executable,
    args: [
      'server',
      'start-dev',
      ...Object.entries(flags).flatMap(([flag, values]) =>
        values.flatMap((value) => [flag, value]),
      ),
    ],
    env: { ...process.env, GOGC: '400' },
    logPath: home.logPath('temporal'),
    commandMark: database,
    channel: 'none',
    startTimeoutMs: 120_000,
    stopGraceMs: 10_000,
    ready: (_child, signal) =>
      untilHealthy(() => servesNamespace(`127.0.0.1:${port}`, namespace), signal),
  };
}

async function servesNamespace(address: string, namespace: string): Promise<boolean> {
  if (!(await accepts(address))) return false;
  try {
    return await withConnection({ address }, async ({ workflowService }) => {
      await workflowService.describeNamespace({ namespace });
      return true;
    });
  } catch {
    return false;
  }
}

/** The version of a Temporal server. Rejects if that cannot be reached. */
export async function temporalServerVersion(options: ConnectionOptions): Promise<string> {
  return withConnection(options, async ({ workflowService }) => {
    const { serverVersion } = await workflowService.getSystemInfo({});
    return serverVersion;
  });
}

/** How many workers poll a task queue. */
export async function temporalWorkers(
  options: ConnectionOptions,
  { namespace, queue }: { readonly namespace: string; readonly queue: string },
): Promise<number> {
  return withConnection(options, async ({ workflowService }) => {
    const { pollers } = await workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name: queue },
    });
    return workersOf(pollers, Date.now());
  });
}

async function withConnection<T>(
  options: ConnectionOptions,
  ask: (connection: Connection) => Promise<T>,
): Promise<T> {
  // Loaded only here, while the server starts, which takes as long.
  const { Connection } = await import('@temporalio/client');
  const connection = await Connection.connect({
    ...options,
    connectTimeout: callWithinMs,
    // No retries: the SDK starts them in a timer, and one that comes after the connection is closed ends the process.
    interceptors: [],
  });
  try {
    return await connection.withDeadline(Date.now() + callWithinMs, () => ask(connection));
  } finally {
    await connection.close();
  }
}
