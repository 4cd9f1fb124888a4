import { setTimeout as sleep } from 'node:timers/promises';
import type { ServicesRecord } from '../../domain/services.js';
import { storageOf, type Environment } from '../../domain/settings.js';
import { UserError } from '../../domain/user-error.js';
import { supervisionOf } from '../../storage/services.js';
import { startSupervisor } from './supervisor.js';

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
