import { Command, CommanderError } from 'commander';
import { registerAsk } from './commands/ask.js';
import { registerCancel } from './commands/cancel.js';
import { registerCompare } from './commands/compare.js';
import { registerDemo } from './commands/demo.js';
import { registerDoctor } from './commands/doctor.js';
import { registerExport } from './commands/export.js';
import { registerIngest } from './commands/ingest.js';
import { registerPause } from './commands/pause.js';
import { registerPrompt } from './commands/prompt.js';
import { registerRetry } from './commands/retry.js';
import { registerRun } from './commands/run.js';
import { registerRuns } from './commands/runs.js';
import { registerScore } from './commands/score.js';
import { registerSkip } from './commands/skip.js';
import { registerStatus } from './commands/status.js';
import { registerStore } from './commands/store.js';
import { registerTrajectory } from './commands/trajectory.js';
import { registerTune } from './commands/tune.js';
import { registerUp } from './commands/up.js';
import { registerWorker } from './commands/worker.js';
import { registerSimulateModel } from './simulated-model/command.js';
import { isSystemError } from './system-error.js';
import { exitStatus, Interrupted, UserError } from './user-error.js';
import { packageVersion } from './versions.js';

const program = new Command('turnwise')
  .description('Durable multi-turn LLM agents that answer questions over papers and databases')
  .version(packageVersion())
  .showHelpAfterError('(add --help for what can be given)')
  .exitOverride();

for (const register of [
  registerDemo,
  registerUp,
  registerWorker,
  registerDoctor,
  registerIngest,
  registerStore,
  registerAsk,
  registerRun,
  registerPrompt,
  registerRuns,
  registerStatus,
  registerPause,
  registerTune,
  registerSkip,
  registerRetry,
  registerCancel,
  registerTrajectory,
  registerScore,
  registerCompare,
  registerExport,
  registerSimulateModel,
]) {
  register(program);
}

// A reader that has seen enough, such as `head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

try {
  await program.parseAsync();
} catch (error) {
  // At once: what a command that failed or was told to end has left under way must not hold it.
  process.exit(report(error));
}

/** Says what was wrong in one sentence. Returns the exit status. */
function report(error: unknown): number {
  if (error instanceof CommanderError) {
    // Commander has said what was wrong.
    return error.exitCode === 0 ? exitStatus.done : exitStatus.badInput;
  }
  if (error instanceof UserError || error instanceof Interrupted) {
    console.error(`turnwise: ${error.message}`);
    return error.status;
  }
  if (isSystemError(error) && error.path !== undefined) {
    console.error(
      `turnwise: ${error.path} cannot be used (${error.message}): choose another path, or mend this one`,
    );
    return exitStatus.badInput;
  }
  const shown = error instanceof Error ? error : new Error(String(error));
  console.error(
    process.env['TURNWISE_DEBUG'] === undefined
      ? `turnwise: ${shown.message} (TURNWISE_DEBUG=1 shows where)`
      : `turnwise: ${shown.stack ?? shown.message}`,
  );
  return exitStatus.serviceUnreachable;
}
