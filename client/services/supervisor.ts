import { fork } from 'node:child_process';
import {
  supervisorMessageSchema,
  type ServiceAddresses,
  type SupervisorMessage,
} from '../../domain/services.js';
import type { Environment } from '../../domain/settings.js';
import { exitStatus, UserError } from '../../domain/user-error.js';
import { childEnvironment, workerProgram } from './programs.js';

/** How starting ended: `occupied` means that another supervisor serves this TURNWISE_HOME. */
export type SupervisorStart =
  | { readonly kind: 'ready'; readonly addresses: ServiceAddresses }
  | { readonly kind: 'occupied'; readonly supervisorPid: number };

export interface SupervisorProcess {
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
