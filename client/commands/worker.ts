import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { InvalidArgumentError, Option } from 'commander';
import type { z } from 'zod';
import { workerFlags, type workerServeSchema } from '../../domain/services.js';
import type { Environment } from '../../domain/settings.js';
import { loadEnvironment } from '../services/environment.js';
import { waitingTasks } from '../services/home-client.js';
import { timeSpan } from '../services/option-values.js';
import { workerProgram } from '../services/programs.js';
import { withServices } from '../services/session.js';
import { print } from '../services/tell.js';
import { exitStatus, UserError } from '../../domain/user-error.js';
import { refusing, type CommandLine } from './shared/command-line.js';

export function registerWorker(program: CommandLine): void {
  program
    .command('worker')
    .description('a worker only, for a Temporal server that exists already (TEMPORAL_ADDRESS)')
    .option(
      '--queues <names>',
      'task queues to serve, with commas between them (default: TURNWISE_TASK_QUEUE)',
      queueNames,
    )
    .addOption(
      new Option(
        '--until-idle <time>',
        'end when there has been nothing to do for so long, such as 5m',
      ).argParser(refusing(timeSpan)),
    )
    .addOption(
      new Option(
        '--backlog',
        'start none: say how many tasks of this home wait for a worker',
      ).conflicts('untilIdle'),
    )
    .action(runWorker);
}

function queueNames(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) throw new InvalidArgumentError('They must be names, such as a,b.');
  return [...new Set(names)];
}

interface WorkerFlags {
  readonly queues?: readonly string[];
  /** Milliseconds. */
  readonly untilIdle?: number;
  readonly backlog?: boolean;
}

async function runWorker({ queues = [], untilIdle, backlog }: WorkerFlags): Promise<void> {
  const environment = loadEnvironment();
  if (environment.TEMPORAL_ADDRESS === undefined) {
    throw new UserError(
      'TEMPORAL_ADDRESS is not set: a worker by itself needs a server that exists (`turnwise up` starts its own)',
    );
  }
  if (backlog) return printBacklog(environment, queues);
  const flags = untilIdle === undefined ? [] : [`--until-idle=${untilIdle}`];
  // Signals reach the worker by the terminal's process group, or from here. With the channel it ends when this process is killed.
  const child = spawn(
    process.execPath,
    [...workerFlags, workerProgram('worker'), ...flags, ...queues],
    { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] },
  );
  child.send({ kind: 'serve', temporal: 'named' } satisfies z.infer<typeof workerServeSchema>);
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

/** One number, for whoever starts workers when there is work. */
async function printBacklog(environment: Environment, queues: readonly string[]): Promise<void> {
  const names = queues.length > 0 ? queues : [environment.TURNWISE_TASK_QUEUE];
  await withServices(environment, async ({ client }) => {
    print(String(await waitingTasks(client, names)));
  });
}
