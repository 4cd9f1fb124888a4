import { Command, CommanderError } from 'commander';
import { registerAsk } from './commands/ask.js';
import { registerDemo } from './commands/demo.js';
import { registerDoctor } from './commands/doctor.js';
import { registerExport } from './commands/export.js';
import { registerIngest } from './commands/ingest.js';
import { registerPrompt } from './commands/prompt.js';
import { registerRun } from './commands/run.js';
import { registerRuns } from './commands/runs.js';
import { registerStatus } from './commands/status.js';
import { registerStore } from './commands/store.js';
import { registerTrajectory } from './commands/trajectory.js';
import { registerUp } from './commands/up.js';
import { registerWorker } from './commands/worker.js';
import { registerSimulateModel } from './simulated-model/command.js';
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
  registerTrajectory,
  registerExport,
  registerSimulateModel,
]) {
  register(program);
}

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has said what was wrong.
    process.exitCode = error.exitCode === 0 ? exitStatus.done : exitStatus.badInput;
  } else if (error instanceof UserError || error instanceof Interrupted) {
    console.error(`turnwise: ${error.message}`);
    process.exitCode = error.status;
  } else {
    const message = error instanceof Error ? error.message : String(error);
    console.error(
      `turnwise: ${message}${process.env['TURNWISE_DEBUG'] ? `\n${error instanceof Error ? (error.stack ?? '') : ''}` : ' (TURNWISE_DEBUG=1 shows where)'}`,
    );
    process.exitCode = exitStatus.serviceUnreachable;
  }
}
