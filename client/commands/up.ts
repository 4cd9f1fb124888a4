import type { Command } from 'commander';
import { loadEnvironment } from '../environment.js';
import { up } from '../up.js';

export function registerUp(program: Command): void {
  program
    .command('up')
    .description('Temporal with its UI, Milvus Lite and a worker, until Ctrl-C')
    .action(async () => {
      process.exitCode = await up(loadEnvironment(), (line) => console.log(line));
    });
}
