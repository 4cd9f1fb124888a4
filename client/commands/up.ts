import type { CommandLine } from './shared/command-line.js';
import type { SupervisorMessage } from '../../domain/services.js';
import type { Environment } from '../../domain/settings.js';
import { exitStatus, UserError } from '../../domain/user-error.js';
import { loadEnvironment } from '../services/environment.js';
import { supervisionOf } from '../../storage/services.js';
import { startSupervisor } from '../services/ensure-services.js';
import { answerStatus } from './shared/answer-status.js';
import { print } from '../services/tell.js';
import { join } from 'node:path';

export function registerUp(program: CommandLine): void {
  program
    .command('up')
    .description('Temporal with its UI, Milvus Lite and a worker, until Ctrl-C')
    .action(async () => {
      process.exitCode = await up(loadEnvironment(), print);
    });
}

/** npx and npm pass on the Ctrl-C that the terminal has sent already: the echo is not a second wish. */
const echoWithinMs = 500;

/**
 * Serves in the foreground until Ctrl-C, which stops everything in order; a second Ctrl-C kills what is left.
 * @returns the exit status of the command.
 */
export async function up(
  environment: Environment,
  print: (line: string) => void,
  workerScript?: string,
): Promise<number> {
  const supervisor = startSupervisor(environment, {
    onMessage: (message) => announce(message, print),
    workerScript,
  });
  const interrupted = new AbortController();
  let lastSignalAt = -Infinity;
  const onSignal = (): void => {
    const isEcho = performance.now() - lastSignalAt < echoWithinMs;
    lastSignalAt = performance.now();
    if (isEcho) return;
    if (!interrupted.signal.aborted) print('stopping; Ctrl-C again kills what is left');
    interrupted.abort();
    supervisor.interrupt();
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  try {
    const start = await supervisor.started;
    if (start.kind === 'occupied') {
      throw new UserError(
        `the services of ${environment.TURNWISE_HOME} run already, under process ${start.supervisorPid}: ` +
          `use them as they are, stop that process, or set TURNWISE_HOME to another folder`,
      );
    }
    const status = answerStatus(environment, start.addresses.temporalAddress);
    printProcesses(environment, print);
    return await supervisor.ended.finally(() => status.close());
  } catch (error) {
    await supervisor.ended;
    if (interrupted.signal.aborted) return exitStatus.done;
    throw error;
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

function announce(message: SupervisorMessage, print: (line: string) => void): void {
  switch (message.kind) {
    case 'step':
      print(message.text);
      break;
    case 'ready':
      print('');
      if (message.uiAddress) print(`Temporal UI  ${message.uiAddress}`);
      print(`Temporal     ${message.temporalAddress}`);
      print(`Milvus       ${message.milvusAddress}`);
      break;
    case 'restarted':
      print(`${message.service} was restarted: ${message.reason}`);
      break;
    case 'failed':
      print(message.message);
      break;
    case 'occupied':
      break;
  }
}

function printProcesses(environment: Environment, print: (line: string) => void): void {
  const supervision = supervisionOf(environment.TURNWISE_HOME);
  if (supervision.kind !== 'supervised') return;
  const { supervisor, services } = supervision.record;
  for (const { name, pid, logPath } of services) {
    print(`${name.padEnd(11)}  pid ${String(pid).padEnd(8)} log ${logPath}`);
  }
  const log = join(environment.TURNWISE_HOME, 'logs', 'supervisor.log');
  print(`supervisor   pid ${String(supervisor.pid).padEnd(8)} log ${log}`);
  print('Ctrl-C stops them.');
}
