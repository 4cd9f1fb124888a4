import type { Command } from 'commander';
import { runIdSchema, type RunId } from '../../domain/ids.js';
import { askForStatus } from '../runs/status/status-socket.js';
import { loadEnvironment } from '../services/environment.js';
import type { StatusFlags } from './shared/local-status.js';
import { parseArgument } from './shared/arguments.js';
import { print } from '../services/tell.js';

export function registerStatus(program: Command): void {
  program
    .command('status')
    .description('where a run is, what its questions came to, and what those under way wait for')
    .argument('<run>', 'the run', parseArgument(runIdSchema))
    .option('--watch', 'show its progress until it ends; the exit status is that of the run')
    .option('--histories', 'with the history size of every question, which takes longer')
    .option('--all', 'of a run of more than 5,000 questions, too, read all results')
    .option('--json', 'one JSON document')
    .action(status);
}

async function status(run: RunId, flags: StatusFlags): Promise<void> {
  const environment = loadEnvironment();
  const { TURNWISE_HOME, TEMPORAL_ADDRESS } = environment;
  const isServed = !flags.watch && !flags.histories && !flags.all && TEMPORAL_ADDRESS === undefined;
  const reply = isServed
    ? await askForStatus(TURNWISE_HOME, { run, as: flags.json ? 'json' : 'text' })
    : null;
  if (reply !== null) {
    print(reply, flags.json);
    return;
  }
  // Loaded only where no other command answers: loading takes longer than the reply.
  const { printStatus } = await import('./shared/local-status.js');
  await printStatus(run, environment, flags);
}
