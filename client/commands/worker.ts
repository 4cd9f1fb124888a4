import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { InvalidArgumentError, type Command } from 'commander';
import { workerFlags } from '../../domain/services.js';
import { loadEnvironment } from '../services/environment.js';
import { workerProgram } from '../services/programs.js';
import { exitStatus, UserError } from '../../domain/user-error.js';

export function registerWorker(program: Command): void {
  program
    .command('worker')
    .description('a worker only, for a Temporal server that exists already (TEMPORAL_ADDRESS)')
    .option(
      '--queues <names>',
      'task queues to serve, with commas between them (default: TURNWISE_TASK_QUEUE)',
      queueNames,
    )
    .action(runWorker);
}

function queueNames(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) throw new InvalidArgumentError('They must be names, such as a,b.');
  return [...new Set(names)];
}

async function runWorker({ queues = [] }: { readonly queues?: readonly string[] }): Promise<void> {
  const environment = loadEnvironment();
  if (environment.TEMPORAL_ADDRESS === undefined) {
    throw new UserError(
      'TEMPORAL_ADDRESS is not set: a worker by itself needs a server that exists (`turnwise up` starts its own)',
    );
  }
  // Signals reach the worker by the terminal's process group, or from here.
  const child = spawn(process.execPath, [...workerFlags, workerProgram('worker'), ...queues], {
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code === exitStatus.badInput || code === exitStatus.serviceUnreachable) {
    // It has said why, in one sentence.
    process.exitCode = code;
  } else if (code !== 0) {
    throw new UserError(
      'the worker stopped; its last lines above say why',
      exitStatus.serviceUnreachable,
    );
  }
}
