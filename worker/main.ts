import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client } from '@temporalio/client';
import type { DataConverter, PayloadCodec } from '@temporalio/common';
import {
  NativeConnection,
  Runtime,
  makeTelemetryFilterString,
  Worker,
  type WorkerOptions,
} from '@temporalio/worker';
import type { z } from 'zod';
import { createActivities } from '../activities/index.js';
import { counted } from '../domain/formats/text.js';
import { taskQueueOf, type HomeId } from '../domain/home.js';
import { heartbeatThrottle, stickyTimeout } from '../domain/worker-timeouts.js';
import { addressOf, environmentSchema, setVariables, storageOf } from '../domain/settings.js';
import { workerServeSchema, type workerReadySchema } from '../domain/services.js';
import { UserError } from '../domain/user-error.js';
import { removeLeftovers } from '../storage/atomic-file.js';
import { cacheFolder } from '../storage/cached-replies.js';
import { draftsFolder } from '../storage/folder-storage.js';
import { keepPayloadKey, openHome, readHome, openStorage } from '../storage/open-storage.js';
import { copiesFolder, removeUnusedCopies } from '../storage/stores/local-copies.js';
import { backlogOf } from '../temporal/backlog.js';
import { connectedOr } from '../temporal/explain-failure.js';
import { requireNamespace, provideSearchAttributes } from '../temporal/namespace.js';
import { clientOptions, payloadCodec } from '../temporal/payload-codec.js';
import { payloadKeysIn, requirePayloadKey } from '../temporal/payload-key.js';
import { embeddedServer, namedServer, type ServerSettings } from '../temporal/server-settings.js';
import { guardHome, proveHome, reachHome } from './home-guard.js';
import { readingQueue, taskQueuesOf } from '../domain/stores/ingestion.js';
import { outages } from './adapters/guard.js';
import { countSentCalls } from './model-calls/sent-calls.js';
import { createPorts } from './ports.js';
import { untilIdle, watchActivities } from './operation/watched-activities.js';
import { WorkerLogger } from './operation/log.js';
import { countCalls, keepGauges, metricsExporter } from './operation/metrics.js';
import { serveProbes } from './operation/probes.js';
import { restartStuckWorkflows } from './restart-stuck.js';
import { workflowBuild, workflowBundle } from './workflow-bundle.js';

/**
 * A worker process. Its settings are environment variables (`domain/settings.ts`). Its arguments are the task queues it
 * serves, by default TURNWISE_TASK_QUEUE, and `--until-idle=MS`. It ends on SIGTERM and SIGINT, after calls in flight have had
 * time to complete, when it has been idle for so long, and when the supervisor that started it is gone.
 */
const environment = environmentSchema.parse(setVariables(process.env));
const { values: flags, positionals: named } = parseArgs({
  options: { 'until-idle': { type: 'string' } },
  allowPositionals: true,
});

const isSupervised = process.send !== undefined;
// The supervisor, or `turnwise worker`, sends a message when Temporal runs.
const [message] = isSupervised ? ((await once(process, 'message')) as [unknown]) : [];
const isEmbedded =
  message !== undefined && workerServeSchema.parse(message).temporal === 'embedded';

// Only now, since the runtime handles SIGINT and SIGTERM from here on. Until then a signal simply ends this process.
const logger = new WorkerLogger(environment);
const { metricMeter } = installRuntime();

const server = serverOf();
const { namespace } = server;
const { TURNWISE_PAYLOAD_KEY: payloadKey } = environment;
const connection = await connectedOr(server, () =>
  NativeConnection.connect(server.connection),
).catch(quit);
await requireNamespace(connection, server).catch(quit);
await provideSearchAttributes(connection, namespace).catch(quit);
// Before it polls: it asks for work of this home alone.
const storage = openStorage(storageOf(environment));
const home = await reachHome(openWithKey, {
  say: logger.say,
  pause: sleepUntilEnded,
}).catch(quit);
await removeUnusedCopies(join(environment.TURNWISE_HOME, copiesFolder));
// Only space: nobody waits for it, and what cannot be removed stays.
const leftovers = [
  [storage.fileOf(draftsFolder), 0],
  // Beside the logs of each run.
  [storage.fileOf('runs'), 1],
  [cacheFolder(environment.TURNWISE_HOME), 2],
] as const;
for (const [folder, depth] of leftovers)
  if (folder !== null) removeLeftovers(folder, depth).catch(() => undefined);
const names = named.length > 0 ? named : [environment.TURNWISE_TASK_QUEUE];
const queues = names.map((name) => taskQueueOf(name, home));
const client = new Client({ connection, ...clientOptions(namespace, payloadKey) });
const stopping = new AbortController();
const sentCalls = countSentCalls(stopping.signal);
const watched = watchActivities();
const ports = createPorts({
  environment: { ...environment, TURNWISE_HOME: resolve(environment.TURNWISE_HOME) },
  client,
  identity: { home, taskQueue: taskQueueOf(environment.TURNWISE_TASK_QUEUE, home) },
  // An embedded server has one supervised worker at a time, so that its successor can reuse the name and the share.
  worker: isEmbedded ? 'embedded' : randomUUID(),
  sentCalls,
  measured: countCalls(metricMeter),
});

const activities = createActivities(ports);
const guardedHome = {
  id: home,
  location: storage.location,
  read: async () => (await readHome(storage))?.id ?? null,
};
const guard = guardHome(guardedHome);
const interceptors = { activity: [watched.interceptor, () => ({ inbound: guard })] };
const served = { connection, namespace, dataConverter: dataConverter() };
const common: Omit<WorkerOptions, 'taskQueue'> = {
  ...served,
  workflowBundle: workflowBundle(payloadKey !== undefined),
  activities,
  interceptors,
  ...version(),
  // Each call in flight is an activity, also while it waits for the rate limit, and a run has at most 2,000 questions in
  // flight (`run-config.ts`).
  maxConcurrentActivityTaskExecutions: 2_200,
  maxCachedWorkflows: 2_200,
  maxHeartbeatThrottleInterval: heartbeatThrottle,
  stickyQueueScheduleToStartTimeout: stickyTimeout,
  // Model calls that are sent are waited for longer: they are paid for (`endWithoutCalls`).
  shutdownGraceTime: '10 seconds',
};
// Each PDF keeps a core busy.
const reading = {
  ...served,
  activities: { readPaper: activities.readPaper },
  interceptors,
  ...version(),
  maxConcurrentActivityTaskExecutions: availableParallelism(),
  maxHeartbeatThrottleInterval: heartbeatThrottle,
};
const workers = await Promise.all(
  queues.flatMap((taskQueue) => [
    Worker.create({ ...common, taskQueue }),
    Worker.create({ ...reading, taskQueue: readingQueue(taskQueue) }),
  ]),
);

// Without its supervisor, nothing would stop or restart this process. The supervisor may be gone already.
process.on('disconnect', stop);
if (isSupervised && !process.connected) process.exit();
if (environment.TURNWISE_PROBES !== undefined) {
  await serveProbes(addressOf(environment.TURNWISE_PROBES), {
    home: () => proveHome(guardedHome).then(() => null),
    temporal: () => connection.healthService.check({}).then(() => null),
    polling: () => (workers.every(isPolling) ? null : 'this worker does not take any work now'),
  }).catch((error: unknown) => quit(new UserError(`TURNWISE_PROBES: ${String(error)}`)));
}
process.send?.({ kind: 'ready' } satisfies z.infer<typeof workerReadySchema>);

// The terminal, npx and `turnwise worker` may each send a signal, and the SDK handles only the first. A later one drops the
// calls in flight.
const echoWithinMs = 1_000;
// The SDK's grace time, and time to report the results of activities.
const endAfterMs = 15_000;
let firstSignalAtMs: number | null = null;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    firstSignalAtMs ??= performance.now();
    if (performance.now() - firstSignalAtMs > echoWithinMs) process.exit();
    stopping.abort();
  });
}
stopping.signal.addEventListener('abort', () => void endWithoutCalls());

const stopped = new AbortController();
const restarting = restartStuckWorkflows(
  { client, home, suspects: logger.suspects, say: logger.say },
  stopped.signal,
);
if (metricsExporter(environment) !== undefined) {
  const { stages } = sentCalls;
  const { oldestTurnMs } = watched;
  keepGauges(metricMeter, { stages, oldestTurnMs, outages, client, home }, stopped.signal);
}
if (flags['until-idle'] !== undefined) void endWhenIdle(Number(flags['until-idle']));
await Promise.all(workers.map((worker) => worker.run()));
stopped.abort();
await restarting;
await ports.close();
await connection.close();
if (process.connected) process.disconnect();

function stop(): void {
  for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  stopping.abort();
}

function isPolling(worker: Worker): boolean {
  const { runState, activityPollerState } = worker.getStatus();
  return runState === 'RUNNING' && activityPollerState === 'POLLING';
}

async function endWhenIdle(idleMs: number): Promise<void> {
  const isAtWork = (worker: Worker): boolean => {
    const { numInFlightActivities, numInFlightWorkflowActivations } = worker.getStatus();
    return numInFlightActivities + numInFlightWorkflowActivations > 0;
  };
  await untilIdle(
    {
      isBusy: () => workers.some(isAtWork),
      begun: watched.begun,
      backlog: () => backlogOf(connection, namespace, queues.flatMap(taskQueuesOf)),
      now: () => performance.now(),
      pause: (ms) => sleep(ms, undefined, { signal: stopping.signal }).catch(() => undefined),
    },
    idleMs,
    stopping.signal,
  );
  if (!stopping.signal.aborted) logger.say('nothing is left to do: this worker ends');
  stop();
}

/** What the SDK logs and measures. */
function installRuntime(): Runtime {
  try {
    const metrics = metricsExporter(environment);
    return Runtime.install({
      logger,
      telemetryOptions: {
        logging: {
          forward: {},
          filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }),
        },
        ...(metrics && { metrics }),
      },
    });
  } catch (error) {
    return quit(error);
  }
}

/**
 * Ends a worker that stops and has no call in flight, whatever else it does: that is begun again elsewhere. A call is ended by
 * its own time limit.
 */
async function endWithoutCalls(): Promise<void> {
  const told = sentCalls.count();
  if (told > 0) {
    logger.say(
      `waiting for ${counted(told, 'model call')} in flight, to store what is paid for; another signal drops them`,
    );
  }
  for (let busyAt = performance.now(); performance.now() - busyAt < endAfterMs;) {
    await sleep(500, undefined, { ref: false });
    if (sentCalls.count() > 0) busyAt = performance.now();
  }
  process.exit();
}

/** Before this process polls, a signal or the end of its supervisor simply ends it. */
async function sleepUntilEnded(ms: number): Promise<void> {
  const end = (): never => process.exit();
  if (isSupervised && !process.connected) end();
  const events = ['SIGINT', 'SIGTERM', 'disconnect'] as const;
  for (const event of events) process.on(event, end);
  await sleep(ms);
  for (const event of events) process.off(event, end);
}

/**
 * The build, and the deployment whose version it is where one is named: its current version then gets all work, and what is
 * open moves on to it, started again from its files where it cannot be replayed.
 */
function version(): Partial<WorkerOptions> {
  const { TEMPORAL_DEPLOYMENT_NAME: deploymentName, TEMPORAL_WORKER_BUILD_ID } = environment;
  const buildId = TEMPORAL_WORKER_BUILD_ID ?? workflowBuild();
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- what replaces it makes histories longer
  if (deploymentName === undefined) return { buildId };
  return {
    workerDeploymentOptions: {
      version: { deploymentName, buildId },
      useWorkerVersioning: true,
      defaultVersioningBehavior: 'AUTO_UPGRADE',
    },
  };
}

/** The id of the home, which says from now on with which key its workers encrypt. */
async function openWithKey(): Promise<HomeId> {
  const found = await openHome(storage);
  requirePayloadKey(found, payloadKey, 'worker');
  const [key] = payloadKeysIn(payloadKey);
  if (key && key.id !== found.payloadKey) await keepPayloadKey(storage, found, key.id);
  return found.id;
}

/** A worker that cannot decode what is stored ends, since it would fail questions that others can answer. */
function dataConverter(): DataConverter {
  const codec = payloadCodec(payloadKey);
  const payloadCodecs: PayloadCodec[] = [
    { ...codec, decode: (payloads) => codec.decode(payloads).catch(quit) },
  ];
  if (payloadKey === undefined) return { payloadCodecs };
  const failureConverterPath = fileURLToPath(new URL('./encoded-failures.js', import.meta.url));
  return { payloadCodecs, failureConverterPath };
}

function serverOf(): ServerSettings {
  const { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE } = environment;
  if (isEmbedded && address !== undefined) return embeddedServer(address, TEMPORAL_NAMESPACE);
  try {
    const named = namedServer(process.env);
    if (named) return named;
  } catch (error) {
    quit(error);
  }
  return quit(new UserError('TEMPORAL_ADDRESS is not set: a worker needs a Temporal server'));
}

/** Ends this process with one sentence, where a setting or a service is at fault. */
function quit(error: unknown): never {
  if (!(error instanceof UserError)) throw error;
  process.stderr.write(`turnwise: ${error.message}\n`);
  process.exit(error.status);
}
