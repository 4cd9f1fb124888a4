import { appendFileSync, readFileSync } from 'node:fs';
import type { RecordedProcess, SupervisorMessage } from '../../domain/services.js';
import type { Environment } from '../../domain/settings.js';
import { obtainEngines } from './engines.js';
import { claimHome, openHome, type Claim, type Home } from './home.js';
import { logMeaning } from './milvus-lite.js';
import { planServices, portWishes } from './plan-services.js';
import { choosePorts } from './ports.js';
import { systemProcessTable } from './process-table.js';
import { createService, type Service, type ServiceEvents, type ServiceSpec } from './service.js';
import { readAddresses, writeAddresses, type ServicesFile } from './services-file.js';
import { EmbeddedFailure } from './setup-context.js';

export interface SupervisorOptions {
  readonly environment: Environment;
  readonly workerScript: string;
  readonly report: (message: SupervisorMessage) => void;
  /** Asks for an orderly stop. */
  readonly stop: AbortSignal;
  /** Asks to kill whatever is still there. */
  readonly hurry: AbortSignal;
}

/** Runs the embedded services until told to stop or one cannot be kept alive. Resolves to an exit status. */
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
    // Asked before the engines, which may take minutes, so that a port that is taken is told at once.
    await choosePorts(wishes);
    const engines = await obtainEngines(environment, { onStep, signal: stop });
    const ports = await choosePorts(wishes);
    const plan = planServices({ environment, engines, home, ports, workerScript });
    const backing = new Map(plan.backing.map((spec) => [spec.name, start(spec)]));
    // Its model calls need no Milvus, and what does is tried again until it is there.
    const worker = start(plan.worker(backing.get('temporal') ?? Promise.resolve()));
    await Promise.all([...backing.values(), worker]);
    servicesFile.ready(plan.addresses);
    writeAddresses(home.addressesFile, plan.addresses);
    say({ kind: 'ready', ...plan.addresses });
    await aborted(AbortSignal.any([stop, lost.signal]));
    if (lost.signal.aborted) throw lost.signal.reason;
    return 0;
  } finally {
    // Whatever becomes of the records, since the disk may be full or the folder gone: nothing is left running.
    noted(() => servicesFile.stopping());
    // The worker first, so that it can hand back what it holds; the server whose state all depends on last.
    for (const service of services.toReversed()) {
      noted(() => onStep(`stopping ${service.name}`));
      await service.stop(hurry);
    }
    noted(() => servicesFile.remove());
  }
}

/** Writes what it can. */
function noted(write: () => void): void {
  try {
    write();
  } catch {
    // There is nowhere to say so.
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
