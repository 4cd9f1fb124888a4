import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ServicesRecord,
  supervisorMessageSchema,
  type ServiceAddresses,
  type SupervisorMessage,
} from '../../domain/services.js';
import { storageOf, type Environment } from '../../domain/settings.js';
import { UserError, exitStatus } from '../../domain/user-error.js';
import { supervisionOf } from '../../storage/services.js';
import { childEnvironment, workerProgram } from './programs.js';
import type { HomeId } from '../../domain/home.js';
import {
  questionWorkflowId,
  runWorkflowId,
  workflowPath,
  type RunId,
  type SampleKey,
} from '../../domain/ids.js';
import { fork } from 'node:child_process';

/** The services a command works with. */
export interface Services {
  readonly temporalAddress: string;
  /** Null when the Temporal server is not ours. */
  readonly uiAddress: string | null;
  /** Null when Temporal runs elsewhere and MILVUS_ADDRESS is unset: only its workers know their Milvus. */
  readonly milvusAddress: string | null;
  /** Whether they live no longer than this command. */
  readonly startedHere: boolean;
  /** Whether they run still, as far as this command can see. */
  readonly areThere: () => Promise<boolean>;
  /** Rejects with a UserError where those that were started here are given up. */
  readonly lost: Promise<never>;
  /** Stops what was started here, in order; does nothing to services that ran already. */
  readonly stop: () => Promise<void>;
}

const pollMs = 500;

/**
 * The services that run already, else embedded ones for the life of this command. With TEMPORAL_ADDRESS set
 * nothing is started.
 * @throws UserError with the remedy, when they cannot be had.
 */
export async function ensureServices(
  environment: Environment,
  onStep: (text: string) => void,
): Promise<Services> {
  if (environment.TEMPORAL_ADDRESS) {
    return borrowed({
      temporalAddress: environment.TEMPORAL_ADDRESS,
      uiAddress: environment.TURNWISE_TEMPORAL_UI?.replace(/\/+$/, '') ?? null,
      milvusAddress: environment.MILVUS_ADDRESS ?? null,
      areThere: () => Promise.resolve(true),
    });
  }
  return (await runningServices(environment, onStep)) ?? startServices(environment, onStep);
}

/** The services that run already, and are ready; undefined where there are none. Starts nothing. */
export async function readyServices(environment: Environment): Promise<Services | undefined> {
  if (environment.TEMPORAL_ADDRESS) return ensureServices(environment, () => undefined);
  const supervision = supervisionOf(environment.TURNWISE_HOME);
  return supervision.kind === 'supervised' && supervision.record.kind === 'ready'
    ? ours(environment, supervision.record)
    : undefined;
}

/** Whether services run, or are being started, that outlive this command. */
export const areServed = (environment: Environment): boolean =>
  environment.TEMPORAL_ADDRESS !== undefined ||
  supervisionOf(environment.TURNWISE_HOME).kind === 'supervised';

/** Waits while another command is starting them; undefined when there are none to be had. */
async function runningServices(
  environment: Environment,
  onStep: (text: string) => void,
): Promise<Services | undefined> {
  for (let told = false; ; told = true) {
    const supervision = supervisionOf(environment.TURNWISE_HOME);
    if (supervision.kind !== 'supervised') return undefined;
    const { record } = supervision;
    if (record.kind === 'ready') return ours(environment, record);
    // A new supervisor waits until this one has stopped.
    if (record.kind === 'stopping') return undefined;
    if (!told) onStep(`waiting for the services that process ${record.supervisor.pid} is starting`);
    await sleep(pollMs);
  }
}

async function startServices(
  environment: Environment,
  onStep: (text: string) => void,
): Promise<Services> {
  const supervisor = startSupervisor(environment, {
    onMessage: (message) => {
      if (message.kind === 'step') onStep(message.text);
      if (message.kind === 'restarted') {
        onStep(`${message.service} was restarted: ${message.reason}`);
      }
    },
  });
  const start = await supervisor.started;
  if (start.kind === 'occupied') return ensureServices(environment, onStep);
  // A command that forgets to stop them can still end; the supervisor notices and stops them.
  supervisor.unref();
  return {
    ...addressesOf(start.addresses),
    startedHere: true,
    areThere: () => Promise.resolve(true),
    lost: supervisor.lost,
    stop: async () => {
      supervisor.ref();
      supervisor.interrupt();
      await supervisor.ended;
    },
  };
}

/** Throws UserError where their worker reads other runs than this command. */
function ours(
  environment: Environment,
  record: Extract<ServicesRecord, { kind: 'ready' }>,
): Services {
  const storage = storageOf(environment);
  if (storage === record.storage) {
    return borrowed({
      ...record,
      areThere: () =>
        Promise.resolve(supervisionOf(environment.TURNWISE_HOME).kind === 'supervised'),
    });
  }
  throw new UserError(
    `the services of ${environment.TURNWISE_HOME} run for ${record.storage}, and this command is for ${storage}: set TURNWISE_STORAGE to the same for both, or stop process ${record.supervisor.pid} and start them again`,
  );
}

type Addresses = Pick<Services, 'temporalAddress' | 'uiAddress' | 'milvusAddress'>;

const addressesOf = ({ temporalAddress, uiAddress, milvusAddress }: Addresses): Addresses => ({
  temporalAddress,
  uiAddress,
  milvusAddress,
});

const borrowed = (found: Addresses & Pick<Services, 'areThere'>): Services => ({
  ...addressesOf(found),
  startedHere: false,
  areThere: found.areThere,
  lost: new Promise(() => undefined),
  stop: () => Promise.resolve(),
});

/** How starting ended: `occupied` means that another supervisor serves this TURNWISE_HOME. */
type SupervisorStart =
  | { readonly kind: 'ready'; readonly addresses: ServiceAddresses }
  | { readonly kind: 'occupied'; readonly supervisorPid: number };

interface SupervisorProcess {
  /** Rejects with a UserError when the services could not be started. */
  readonly started: Promise<SupervisorStart>;
  /** The exit status, once it has stopped its services and ended. */
  readonly ended: Promise<number>;
  /** Rejects with a UserError once it has ended, for whatever reason. */
  readonly lost: Promise<never>;
  /** Asks for an orderly stop; asked again, it kills what is left. */
  readonly interrupt: () => void;
  /** Lets this process end without it; it then stops its services by itself. */
  readonly unref: () => void;
  readonly ref: () => void;
}

interface SupervisorOptions {
  /** Told everything but a failure to start, which `started` rejects with. */
  readonly onMessage: (message: SupervisorMessage) => void;
  /** Another worker than turnwise's own, for tests. */
  readonly workerScript?: string | undefined;
}

/** Starts the process that starts, watches and stops the embedded services. It ends when this process does. */
export function startSupervisor(
  environment: Environment,
  { onMessage, workerScript }: SupervisorOptions,
): SupervisorProcess {
  // A session of its own: Ctrl-C reaches this command alone, which then says in which order things stop.
  const child = fork(workerProgram('supervise'), workerScript ? [workerScript] : [], {
    env: childEnvironment(environment),
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  let settled = false;
  let reason: UserError | null = null;
  const ended = new Promise<number>((resolve) => {
    child.once('exit', (status, signal) => {
      if (signal) {
        const message = killed(signal);
        reason ??= failure(message);
        onMessage(message);
      }
      resolve(status ?? exitStatus.serviceUnreachable);
    });
  });
  const lost = ended.then((status) => Promise.reject(reason ?? endedWith(status)));
  // Not every command needs its services to the end.
  lost.catch(() => undefined);
  const started = new Promise<SupervisorStart>((resolve, reject) => {
    child.on('message', (raw) => {
      const message = supervisorMessageSchema.parse(raw);
      if (message.kind === 'failed') reason = failure(message);
      if (reason && !settled) reject(reason);
      else onMessage(message);
      if (message.kind === 'ready') resolve({ kind: 'ready', addresses: message });
      if (message.kind === 'occupied') resolve(message);
      settled ||= message.kind !== 'step';
    });
    lost.catch(reject);
  });
  return {
    started,
    ended,
    lost,
    interrupt: () => void child.kill('SIGINT'),
    unref: () => {
      child.unref();
      child.channel?.unref();
    },
    ref: () => {
      child.ref();
      child.channel?.ref();
    },
  };
}

type Failed = Extract<SupervisorMessage, { kind: 'failed' }>;

function failure({ message, exitStatus: status }: Failed): UserError {
  return new UserError(
    message,
    status === exitStatus.badInput ? exitStatus.badInput : exitStatus.serviceUnreachable,
  );
}

const killed = (signal: NodeJS.Signals): Failed => ({
  kind: 'failed',
  message: `The process that watches the embedded services was ended by ${signal}; the next start stops what it left running.`,
  exitStatus: exitStatus.serviceUnreachable,
});

const endedWith = (status: number): UserError =>
  new UserError(
    `the process that keeps the embedded services ended with status ${status}`,
    exitStatus.serviceUnreachable,
  );

type WhereUiIs = Pick<Services, 'uiAddress'> & Pick<Environment, 'TEMPORAL_NAMESPACE'>;

/** Where the Temporal UI shows a run; null where nothing tells the address of the UI. */
export const runPage = (place: WhereUiIs, home: HomeId, run: RunId): string | null =>
  workflowPage(place, runWorkflowId(home, run));

/** Where it shows a question. */
export const questionPage = (
  place: WhereUiIs,
  home: HomeId,
  run: RunId,
  key: SampleKey,
): string | null => workflowPage(place, questionWorkflowId(home, run, key));

const workflowPage = (
  { uiAddress, TEMPORAL_NAMESPACE }: WhereUiIs,
  workflowId: string,
): string | null =>
  uiAddress === null ? null : `${uiAddress}${workflowPath(TEMPORAL_NAMESPACE, workflowId)}`;
