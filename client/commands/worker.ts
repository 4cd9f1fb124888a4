import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { workerFlags } from '../../domain/services/worker-flags.js';
import { loadEnvironment } from '../environment.js';
import { exitStatus, UserError } from '../user-error.js';

export function registerWorker(program: Command): void {
  program
    .command('worker')
    .description('a worker only, for a Temporal server that exists already (TEMPORAL_ADDRESS)')
    .action(runWorker);
}

async function runWorker(): Promise<void> {
  const environment = loadEnvironment();
  for (const name of ['TEMPORAL_ADDRESS', 'MILVUS_ADDRESS'] as const) {
    if (environment[name] === undefined) {
      throw new UserError(
        `${name} is not set: a worker by itself needs servers that exist (\`turnwise up\` starts its own)`,
      );
    }
  }
  // Signals reach the worker by the terminal's process group, or from here.
  const child = spawn(
    process.execPath,
    [...workerFlags, fileURLToPath(new URL('../../worker/main.js', import.meta.url))],
    {
      stdio: 'inherit',
    },
  );
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) {
    throw new UserError(
      'the worker stopped; its last lines above say why',
      exitStatus.serviceUnreachable,
    );
  }
}
