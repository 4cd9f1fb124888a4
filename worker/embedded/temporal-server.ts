import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Client, Connection, ConnectionOptions } from '@temporalio/client';
import { searchAttributes } from '../../domain/ids.js';
import { workersOf, type HomeId } from '../../domain/home.js';
import type { ModelEndpoint } from '../../domain/model-api.js';
import type { TemporalState } from '../../domain/services.js';
import type { StuckWorkflow } from '../../domain/stuck-workflow.js';
import { explainFailure } from '../../temporal/explain-failure.js';
import { inspectNamespace } from '../../temporal/namespace.js';
import type { ServerSettings } from '../../temporal/server-settings.js';
import { temporalDatabase } from '../../storage/temporal-database.js';
import { endpointsOfWorker } from '../adapters/temporal.js';
import type { Home } from './home.js';
import { accepts, untilHealthy, type ServiceSpec } from './service.js';

interface TemporalPlan {
  readonly executable: string;
  readonly home: Home;
  readonly namespace: string;
  readonly port: number;
  readonly uiPort: number;
  /** How long it keeps the history of a workflow that has closed. */
  readonly historyDays: number;
}

const callWithinMs = 3_000;
/** A busy server answers late, and nothing is wrong with it. */
const inspectWithinMs = 20_000;
const daySeconds = 86_400;

/** The development server, with its state in one SQLite file and the settings measured in docs/explanation/decisions/0002. */
export function temporalServer(plan: TemporalPlan): ServiceSpec {
  const { executable, home, namespace, port, uiPort, historyDays } = plan;
  const database = temporalDatabase(home.path);
  mkdirSync(dirname(database), { recursive: true });
  const flags = {
    '--ip': ['127.0.0.1'],
    '--port': [String(port)],
    '--ui-port': [String(uiPort)],
    '--db-filename': [database],
    '--namespace': namespace === 'default' ? [] : [namespace],
    '--sqlite-pragma': [
      'journal_mode=WAL',
      'synchronous=NORMAL',
      // When the file is made. `shrinkDatabase` can then give free pages back.
      'auto_vacuum=INCREMENTAL',
    ],
    '--dynamic-config-value': [
      'history.transferProcessorMaxPollRPS=2000',
      // With each new task a queue goes through all since its last update, which by default is every 30 s.
      'history.transferProcessorUpdateAckInterval="1s"',
      'history.visibilityProcessorUpdateAckInterval="1s"',
      'history.timerProcessorUpdateAckInterval="1s"',
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
      untilHealthy(
        () => servesNamespace(`127.0.0.1:${port}`, namespace, historyDays * daySeconds),
        signal,
      ),
  };
}

/** Whether the server answers for a namespace, which from then on keeps histories for so long. */
async function servesNamespace(
  address: string,
  namespace: string,
  retentionSeconds: number,
): Promise<boolean> {
  if (!(await accepts(address))) return false;
  try {
    return await withConnection({ address }, async ({ workflowService }) => {
      const { config } = await workflowService.describeNamespace({ namespace });
      const ttl = config?.workflowExecutionRetentionTtl;
      if (Number(ttl?.seconds) !== retentionSeconds) {
        const { msToTs } = await import('@temporalio/common/lib/time.js');
        const workflowExecutionRetentionTtl = msToTs(1000 * retentionSeconds);
        await workflowService.updateNamespace({
          namespace,
          config: { workflowExecutionRetentionTtl },
        });
      }
      return true;
    });
  } catch {
    return false;
  }
}

/** What a running server says about itself and the namespace of runs. */
export async function inspectServer(server: ServerSettings): Promise<TemporalState> {
  const { address } = server.connection;
  try {
    return await withConnection(
      server.connection,
      async (connection) => {
        const { serverVersion } = await connection.workflowService.getSystemInfo({});
        const namespace = await inspectNamespace(connection, server);
        return { kind: 'reached', address, version: serverVersion, namespace };
      },
      inspectWithinMs,
    );
  } catch {
    return { kind: 'trouble', trouble: await explainFailure(server) };
  }
}

/** How many histories a namespace has, of workflows that are open and of those that have closed. */
export async function temporalHistories({
  connection,
  namespace,
}: ServerSettings): Promise<number> {
  const ask = async ({ workflowService }: Connection): Promise<number> => {
    const { count } = await workflowService.countWorkflowExecutions({ namespace });
    return Number(count);
  };
  return withConnection(connection, ask, inspectWithinMs);
}

/** How many workers poll a task queue. */
export async function temporalWorkers(
  { connection, namespace }: ServerSettings,
  queue: string,
): Promise<number> {
  const ask = async ({ workflowService }: Connection): Promise<number> => {
    const { pollers } = await workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name: queue },
    });
    return workersOf(pollers, Date.now());
  };
  return withConnection(connection, ask, inspectWithinMs);
}

/** So many open workflows are looked at. */
const mostInspected = 500;

/** The workflows of a home that no worker can go on with. */
export async function stuckAtServer(
  server: ServerSettings,
  home: HomeId,
): Promise<readonly StuckWorkflow[]> {
  const { stuckOfHome } = await import('../../temporal/stuck-workflows.js');
  return withClient(server, (client) => stuckOfHome(client, home, mostInspected), inspectWithinMs);
}

/** Has a worker of a home ask the model endpoints that it is configured for. Null where none answers in time. */
export const endpointsAtWorker = (
  server: ServerSettings,
  worker: { readonly home: HomeId; readonly taskQueue: string },
): Promise<readonly ModelEndpoint[] | null> =>
  withClient(server, (client) => endpointsOfWorker(client, worker), inspectWithinMs);

async function withClient<T>(
  server: ServerSettings,
  ask: (client: Client) => Promise<T>,
  withinMs?: number,
): Promise<T> {
  const { Client } = await import('@temporalio/client');
  const { clientOptions } = await import('../../temporal/payload-codec.js');
  const options = clientOptions(server.namespace, process.env['TURNWISE_PAYLOAD_KEY']);
  return withConnection(
    server.connection,
    (connection) => ask(new Client({ connection, ...options })),
    withinMs,
  );
}

async function withConnection<T>(
  options: ConnectionOptions,
  ask: (connection: Connection) => Promise<T>,
  withinMs = callWithinMs,
): Promise<T> {
  // Loaded only here, while the server starts, which takes as long.
  const { Connection } = await import('@temporalio/client');
  const connection = await Connection.connect({
    ...options,
    connectTimeout: withinMs,
    // No retries: the SDK starts them in a timer, and one that comes after the connection is closed ends the process.
    interceptors: [],
  });
  try {
    return await connection.withDeadline(Date.now() + withinMs, () => ask(connection));
  } finally {
    await connection.close();
  }
}
