import type { CommandLine } from './shared/command-line.js';
import type { RunId } from '../../domain/ids.js';
import { flag, formatOptions } from '../../domain/option.js';
import { askForStatus } from '../runs/status/status-socket.js';
import { loadEnvironment } from '../services/environment.js';
import type { StatusFlags } from './shared/local-status.js';
import { print, printLines, widthOf } from '../services/tell.js';

const statusOptions = {
  watch: flag('show its progress until it ends; the exit status is that of the run'),
  histories: flag('with the history size of every question, which takes longer'),
  all: flag('of a run of more than 5,000 questions, too, read all results'),
  ...formatOptions,
};

export function registerStatus(program: CommandLine): void {
  program
    .commandOnRun(
      'status',
      'where a run is, what its questions came to, and what those under way wait for',
    )
    .takes(statusOptions)
    .action(status);
}

async function status(run: RunId, flags: StatusFlags): Promise<void> {
  const environment = loadEnvironment();
  const { TURNWISE_HOME, TEMPORAL_ADDRESS } = environment;
  const isServed = !flags.watch && !flags.histories && !flags.all && TEMPORAL_ADDRESS === undefined;
  const as = flags.json ? 'json' : flags.format;
  const lines = isServed
    ? await askForStatus(TURNWISE_HOME, { run, as, width: widthOf(process.stdout) })
    : null;
  if (lines !== null) {
    if (as === 'json') print(lines[0]?.[0]?.text ?? '', true);
    else printLines(lines);
    return;
  }
  // Loaded only where no other command answers: loading takes longer than the reply.
  const { printStatus } = await import('./shared/local-status.js');
  await printStatus(run, environment, flags);
}
