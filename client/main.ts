import { CommanderError } from 'commander';
import { refuseOldName, registerCommands } from './commands/all-commands.js';
import { CommandLine } from './commands/shared/command-line.js';
import { z } from 'zod';
import { isSystemError, plainIssue } from './services/read-file.js';
import { beQuiet, printError } from './services/tell.js';
import { Interrupted } from './services/user-error.js';
import { exitStatus, UserError } from '../domain/user-error.js';
import { packageVersion } from './services/programs.js';

const program = new CommandLine('turnwise')
  .description('Durable multi-turn LLM agents that answer questions over papers and databases')
  .version(packageVersion())
  .showHelpAfterError('(add --help for what can be given)')
  .exitOverride()
  .hook('preAction', (_, command) => {
    if (command.optsWithGlobals()['quiet'] === true) beQuiet();
  });

// What a schema says nothing of its own about is said in plain words, wherever it is parsed.
z.config({ customError: plainIssue });

const [, , ...words] = process.argv;
const [named] = words;
await registerCommands(program, named);

// A reader such as `head` closes the pipe early: that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

try {
  refuseOldName(words);
  await program.parseAsync();
} catch (error) {
  // Exit now: open connections and timers of a failed or interrupted command would keep the process alive.
  process.exit(report(error));
}

/** Prints the error in one sentence. Returns the exit status. */
function report(error: unknown): number {
  if (error instanceof CommanderError) {
    // Commander has printed the error.
    return error.exitCode === 0 ? exitStatus.done : exitStatus.badInput;
  }
  if (error instanceof UserError || error instanceof Interrupted) {
    printError(`turnwise: ${error.message}`);
    return error.status;
  }
  if (isSystemError(error) && error.path !== undefined) {
    printError(
      `turnwise: ${error.path} cannot be used (${error.message}): choose another path, or mend this one`,
    );
    return exitStatus.badInput;
  }
  const shown = error instanceof Error ? error : new Error(String(error));
  printError(
    process.env['TURNWISE_DEBUG'] === undefined
      ? `turnwise: ${shown.message} (TURNWISE_DEBUG=1 shows where)`
      : `turnwise: ${shown.stack ?? shown.message}`,
  );
  return exitStatus.serviceUnreachable;
}
