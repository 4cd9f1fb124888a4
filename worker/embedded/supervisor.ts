import { appendFileSync, readFileSync } from 'node:fs';
import type { RecordedProcess, SupervisorMessage } from '../../domain/services.js';
import { storageOf, type Environment } from '../../domain/settings.js';
import { obtainEngines } from './engines.js';
import { claimHome, openHome, type Claim, type Home } from './home.js';
import { logMeaning } from './milvus-lite.js';
import { planServices, portWishes } from './plan-services.js';
import { choosePorts } from './ports.js';
import { systemProcessTable } from '../../storage/services/process-table.js';
import { createService, type Service, type ServiceEvents, type ServiceSpec } from './service.js';
import {
  readAddresses,
  writeAddresses,
  type ServicesFile,
} from '../../storage/services/services-file.js';
import { EmbeddedFailure } from './setup-context.js';
import { shrinkDatabase } from './shrink-database.js';
import { temporalDatabase } from '../../storage/temporal-database.js';

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
    const onStep = (text: string): void => report({ kind: 'step', text });
    const claim = await claimHome(home, { supervisor: thisProcess(), onStep, signal: stop });
    if (claim.kind === 'claimed') return await superviseHome(home, claim, options);
    report({ kind: 'occupied', supervisorPid: claim.supervisorPid });
    return 2;
  } catch (error) {
    if (error instanceof EmbeddedFailure) {
      report({ kind: 'failed', message: error.message, exitStatus: error.exitStatus });
      return error.exitStatus;
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
    await aborted(AbortSignal.any([stop, lost.signal]));
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

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function thisProcess(): RecordedProcess {
  const identity = systemProcessTable(process.pid);
  if (!identity) throw new Error('this process is not in the process table');
  return { pid: process.pid, startTime: identity.startTime, commandMark: identity.command };
}
