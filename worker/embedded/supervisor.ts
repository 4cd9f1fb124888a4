import { once } from 'node:events';
import { appendFileSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { setImmediate as turn } from 'node:timers/promises';
import type { z } from 'zod';
import { sizeText } from '../../domain/formats/text.js';
import {
  workerFlags,
  workerReadySchema,
  type RecordedProcess,
  type SupervisorMessage,
  type ServiceAddresses,
  type workerServeSchema,
} from '../../domain/services.js';
import { storageOf, type Environment } from '../../domain/settings.js';
import { UserError } from '../../domain/user-error.js';
import { readHome, openStorage } from '../../storage/open-storage.js';
import {
  systemProcessTable,
  readAddresses,
  writeAddresses,
  type ServicesFile,
} from '../../storage/services.js';
import { temporalDatabase, databaseUse } from '../../storage/temporal-database.js';
import { requirePayloadKey } from '../../temporal/payload-key.js';
import { obtainEngines, type Engines } from './engines.js';
import { claimHome, openHome, type Claim, type Home } from './home.js';
import { logMeaning, milvusLite } from './milvus-lite.js';
import {
  choosePorts,
  createService,
  type PortWish,
  type Service,
  type ServiceEvents,
  type ServiceSpec,
} from './service.js';
import { EmbeddedFailure } from './setup-context.js';
import { temporalServer } from './temporal-server.js';

export interface SupervisorOptions {
  readonly environment: Environment;
  readonly workerScript: string;
  readonly report: (message: SupervisorMessage) => void;
  /** Stops the services in order. */
  readonly stop: AbortSignal;
  /** Kills all services that still run. */
  readonly hurry: AbortSignal;
}

/** Runs the embedded services until `stop` aborts or one of them cannot be kept running. Resolves to an exit status. */
export async function supervise(options: SupervisorOptions): Promise<number> {
  const { environment, report, stop } = options;
  try {
    const home = openHome(environment.TURNWISE_HOME);
    // A worker finds out for itself where the storage cannot be read now.
    const found = await readHome(openStorage(storageOf(environment))).catch(() => null);
    if (found) requirePayloadKey(found, environment.TURNWISE_PAYLOAD_KEY, 'worker');
    const onStep = (text: string): void => report({ kind: 'step', text });
    const claim = await claimHome(home, { supervisor: thisProcess(), onStep, signal: stop });
    if (claim.kind === 'claimed') return await superviseHome(home, claim, options);
    report({ kind: 'occupied', supervisorPid: claim.supervisorPid });
    return 2;
  } catch (error) {
    if (error instanceof EmbeddedFailure || error instanceof UserError) {
      const exitStatus = 'status' in error ? error.status : error.exitStatus;
      report({ kind: 'failed', message: error.message, exitStatus });
      return exitStatus;
    }
    if (stop.aborted) return 0;
    throw error;
  }
}

async function superviseHome(
  home: Home,
  { servicesFile }: Extract<Claim, { kind: 'claimed' }>,
  { environment, workerScript, report, stop, hurry }: SupervisorOptions,
): Promise<number> {
  const say = (message: SupervisorMessage): void => {
    const line = `${new Date().toISOString()} ${JSON.stringify(message)}\n`;
    appendFileSync(home.logPath('supervisor'), line);
    report(message);
  };
  const onStep = (text: string): void => say({ kind: 'step', text });
  const lost = new AbortController();
  const events = serviceEvents(servicesFile, say, lost);
  const services: Service[] = [];
  const start = async (spec: ServiceSpec): Promise<void> => {
    stop.throwIfAborted();
    onStep(`starting ${spec.name}`);
    const service = createService(spec, events);
    services.push(service);
    const failure = await service.start();
    stop.throwIfAborted();
    if (failure !== undefined) throw downForGood(spec, `could not be started: ${failure}`);
  };
  try {
    const wishes = portWishes(environment, readAddresses(home.addressesFile));
    // Before the engines, whose installation may take minutes, so that a port in use is reported at once.
    await choosePorts(wishes);
    const engines = await obtainEngines(environment, { onStep, signal: stop });
    if (engines.temporal)
      await shrinkDatabase(temporalDatabase(home.path), { onStep, signal: stop });
    const ports = await choosePorts(wishes);
    const plan = planServices({ environment, engines, home, ports, workerScript });
    const backing = new Map(plan.backing.map((spec) => [spec.name, start(spec)]));
    // The worker starts without waiting for Milvus: what needs Milvus is retried until that runs.
    const worker = start(plan.worker(backing.get('temporal') ?? Promise.resolve()));
    await Promise.all([...backing.values(), worker]);
    servicesFile.ready(plan.addresses, storageOf(environment));
    writeAddresses(home.addressesFile, plan.addresses);
    say({ kind: 'ready', ...plan.addresses });
    const over = AbortSignal.any([stop, lost.signal]);
    if (!over.aborted) await once(over, 'abort');
    if (lost.signal.aborted) throw lost.signal.reason;
    return 0;
  } finally {
    // The services are stopped even if the records cannot be written, as on a full disk.
    ignoringErrors(() => servicesFile.stopping());
    // The worker first, so that it can hand back its work, and Temporal last.
    for (const service of services.toReversed()) {
      ignoringErrors(() => onStep(`stopping ${service.name}`));
      const explaining = setTimeout(() => ignoringErrors(() => onStep(stillStopping)), 3_000);
      await service.stop(hurry).finally(() => clearTimeout(explaining));
    }
    ignoringErrors(() => servicesFile.remove());
  }
}

/** A worker is the only one that takes long. */
const stillStopping =
  'waiting for model calls in flight, to store what is paid for; Ctrl-C again drops them';

function ignoringErrors(write: () => void): void {
  try {
    write();
  } catch {
    // The log may be on the same disk.
  }
}

function serviceEvents(
  servicesFile: ServicesFile,
  say: SupervisorOptions['report'],
  lost: AbortController,
): ServiceEvents {
  return {
    onSpawned: ({ name, commandMark, logPath }, pid) => {
      const startTime = systemProcessTable(pid)?.startTime;
      if (startTime) servicesFile.spawned({ name, pid, startTime, commandMark, logPath });
    },
    onRestarted: ({ name }, reason) => say({ kind: 'restarted', service: name, reason }),
    onGivenUp: (spec, reason) =>
      lost.abort(downForGood(spec, `died again and again and was given up: ${reason}`)),
  };
}

function downForGood({ name, logPath }: ServiceSpec, what: string): EmbeddedFailure {
  const meaning = logMeaning(logTail(logPath));
  const why = meaning === undefined ? what : `${what}; ${meaning}`;
  return new EmbeddedFailure(`The ${name} service ${why}. Its log: ${logPath}`, 3);
}

const tailCharacters = 8_000;

function logTail(path: string): string {
  return readFileSync(path, 'utf8').slice(-tailCharacters);
}

function thisProcess(): RecordedProcess {
  const identity = systemProcessTable(process.pid);
  if (!identity) throw new Error('this process is not in the process table');
  return { pid: process.pid, startTime: identity.startTime, commandMark: identity.command };
}

type PortName = 'temporal' | 'ui' | 'milvus';

/** Ports that are set, otherwise the last ones, so that clients and bookmarks still work. */
export function portWishes(
  environment: Environment,
  former: ServiceAddresses | undefined,
): Readonly<Record<PortName, PortWish>> {
  const wish = (
    variable: 'TURNWISE_TEMPORAL_PORT' | 'TURNWISE_UI_PORT' | 'TURNWISE_MILVUS_PORT',
    address: string | null | undefined,
  ): PortWish => {
    const port = environment[variable];
    return port === undefined
      ? { kind: 'any', former: localPort(address) }
      : { kind: 'set', port, variable };
  };
  return {
    temporal: wish('TURNWISE_TEMPORAL_PORT', former?.temporalAddress),
    ui: wish('TURNWISE_UI_PORT', former?.uiAddress),
    milvus: wish('TURNWISE_MILVUS_PORT', former?.milvusAddress),
  };
}

function localPort(address: string | null | undefined): number | undefined {
  const port = /127\.0\.0\.1:(\d+)/.exec(address ?? '')?.[1];
  return port === undefined ? undefined : Number(port);
}

interface ServicePlan {
  /** The services that the worker needs. */
  readonly backing: readonly ServiceSpec[];
  /** Connects once `temporal` resolves. */
  readonly worker: (temporal: Promise<unknown>) => ServiceSpec;
  readonly addresses: ServiceAddresses;
}

interface Means {
  readonly environment: Environment;
  readonly engines: Engines;
  readonly home: Home;
  readonly ports: Readonly<Record<PortName, number>>;
  readonly workerScript: string;
}

/** Plans the worker and those services for which the environment has no address. */
export function planServices(means: Means): ServicePlan {
  const { environment, engines, home, ports, workerScript } = means;
  const { temporal, milvus } = engines;
  const namespace = environment.TEMPORAL_NAMESPACE;
  const temporalAddress = environment.TEMPORAL_ADDRESS ?? `127.0.0.1:${ports.temporal}`;
  const milvusAddress = environment.MILVUS_ADDRESS ?? `127.0.0.1:${ports.milvus}`;
  const uiAddress = temporal ? `http://127.0.0.1:${ports.ui}` : null;
  return {
    backing: [
      ...(temporal
        ? [
            temporalServer({
              executable: temporal.path,
              home,
              namespace,
              port: ports.temporal,
              uiPort: ports.ui,
              historyDays: environment.TURNWISE_HISTORY_DAYS,
            }),
          ]
        : []),
      ...(milvus ? [milvusLite({ engine: milvus, home, port: ports.milvus })] : []),
    ],
    worker: (temporal) =>
      workerProcess(
        {
          script: workerScript,
          home,
          temporalAddress,
          milvusAddress,
          isEmbedded: engines.temporal !== undefined,
        },
        temporal,
      ),
    addresses: { temporalAddress, uiAddress, milvusAddress },
  };
}

interface WorkerPlan {
  readonly script: string;
  readonly home: Home;
  readonly temporalAddress: string;
  readonly milvusAddress: string;
  /** Whether the Temporal server is. */
  readonly isEmbedded: boolean;
}

/**
 * A worker on the embedded services. It loads its program while they start, and sends a message when it polls.
 * @param temporal - resolves once the server runs
 */
function workerProcess(plan: WorkerPlan, temporal: Promise<unknown>): ServiceSpec {
  const { script, home, temporalAddress, milvusAddress, isEmbedded } = plan;
  return {
    name: 'worker',
    command: process.execPath,
    args: [...workerFlags, script],
    env: {
      ...process.env,
      TURNWISE_HOME: home.path,
      TEMPORAL_ADDRESS: temporalAddress,
      MILVUS_ADDRESS: milvusAddress,
    },
    logPath: home.logPath('worker'),
    commandMark: script,
    channel: 'ipc',
    startTimeoutMs: 120_000,
    // Calls in flight may complete, since they are paid for; each has its own time limit.
    stopGraceMs: 60 * 60_000,
    ready: (child, signal) =>
      new Promise((resolve, reject) => {
        // Never removed, since messages without a listener would pile up in the channel.
        child.on('message', (message) => {
          if (workerReadySchema.safeParse(message).success) resolve();
        });
        const begin = (): void => {
          const serve: z.infer<typeof workerServeSchema> = {
            kind: 'serve',
            temporal: isEmbedded ? 'embedded' : 'named',
          };
          if (child.connected) child.send(serve);
        };
        // The start of the server reports its own failure.
        temporal.then(begin).catch(() => undefined);
        signal.addEventListener('abort', () => reject(new Error('not ready')), { once: true });
      }),
  };
}

/** Less is kept for what the next runs write. */
const leastFreeBytes = 16 * 2 ** 20;
const leastFreeShare = 0.25;

/** Pages moved at once, in some 20 ms. */
const stepPages = 500;
/** Pages are moved from the end of the file to its holes: with SQLite's own 2 MB each would be read from the disk again. */
const cacheKilobytes = 64_000;
/** The start of the services waits no longer. What is left is for the next start. */
const longestMs = 20_000;

interface ShrinkOptions {
  readonly onStep: (text: string) => void;
  readonly signal: AbortSignal;
  /** @defaultValue those above */
  readonly leastBytes?: number;
}

/**
 * Gives the free pages of the server's database back to the disk, where they are many. Only while no server runs: this
 * library knows no locks of other processes. A kill leaves a database that the server opens. What fails is said as a step,
 * since a large file keeps nobody from working.
 */
export async function shrinkDatabase(path: string, options: ShrinkOptions): Promise<void> {
  const { onStep, signal, leastBytes = leastFreeBytes } = options;
  const before = await databaseUse(path);
  if (before === null || before.freeBytes < leastBytes) return;
  if (before.freeBytes < leastFreeShare * before.bytes) return;
  onStep(`giving ${sizeText(before.freeBytes)} of Temporal's database back to the disk`);
  try {
    await freePages(path, signal);
  } catch (error) {
    onStep(`Temporal's database stays as large as it is: ${String(error)}`);
  }
}

async function freePages(path: string, signal: AbortSignal): Promise<void> {
  // Loaded only here: most starts do not need it.
  const { default: sqlite } = await import('node-sqlite3-wasm');
  // Of a process that was killed here. The server has locks of another kind.
  await rm(`${path}.lock`, { recursive: true, force: true });
  const database = new sqlite.Database(path, { fileMustExist: true });
  try {
    // The log of a server needs shared memory, which this library does not have, unless one connection has the file alone.
    for (const pragma of ['locking_mode = EXCLUSIVE', `cache_size = -${cacheKilobytes}`])
      database.all(`PRAGMA ${pragma}`);
    const until = performance.now() + longestMs;
    const free = (): number => Number(database.get('PRAGMA freelist_count')?.['freelist_count']);
    for (let left = free(); left > 0;) {
      if (signal.aborted || performance.now() > until) return;
      database.exec(`PRAGMA incremental_vacuum(${stepPages})`);
      const now = free();
      // A database that was made without `auto_vacuum` frees nothing.
      if (now >= left) throw new Error('it was made without auto_vacuum');
      left = now;
      await turn();
    }
  } finally {
    database.close();
    // About a log that is no more. The server makes it anew.
    await rm(`${path}-shm`, { force: true });
  }
}
