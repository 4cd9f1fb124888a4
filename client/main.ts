import { CommanderError, type Command } from 'commander';
import { CommandLine } from './commands/shared/command-line.js';
import { z } from 'zod';
import { isSystemError, plainIssue } from './services/read-file.js';
import { beQuiet } from './services/tell.js';
import { Interrupted } from './services/user-error.js';
import { exitStatus, UserError } from '../domain/user-error.js';
import { packageVersion } from './services/versions.js';

type Register = (program: Command) => void;

/** Every command by its name, in groups as `--help` shows them. A command is loaded when it is used: loading takes longer than most commands run. */
const groups: Readonly<Record<string, Readonly<Record<string, () => Promise<Register>>>>> = {
  'Set-up and services:': {
    demo: async () => (await import('./commands/demo.js')).registerDemo,
    up: async () => (await import('./commands/up.js')).registerUp,
    worker: async () => (await import('./commands/worker.js')).registerWorker,
    doctor: async () => (await import('./commands/doctor.js')).registerDoctor,
    completion: async () => (await import('./commands/completion.js')).registerCompletion,
    'simulate-model': async () =>
      (await import('./commands/simulate-model.js')).registerSimulateModel,
  },
  'Papers and questions:': {
    ingest: async () => (await import('./commands/ingest.js')).registerIngest,
    enrich: async () => (await import('./commands/store/enrich.js')).registerEnrich,
    store: async () => (await import('./commands/store/store.js')).registerStore,
    dataset: async () => (await import('./commands/dataset/dataset.js')).registerDataset,
    prompt: async () => (await import('./commands/prompt.js')).registerPrompt,
  },
  'Asking:': {
    ask: async () => (await import('./commands/ask.js')).registerAsk,
    run: async () => (await import('./commands/run.js')).registerRun,
    eval: async () => (await import('./commands/eval.js')).registerEval,
    fork: async () => (await import('./commands/fork.js')).registerFork,
  },
  'Runs under way:': {
    runs: async () => (await import('./commands/runs.js')).registerRuns,
    status: async () => (await import('./commands/status.js')).registerStatus,
    view: async () => (await import('./commands/view.js')).registerView,
    pause: async () => (await import('./commands/steer.js')).registerPause,
    resume: async () => (await import('./commands/steer.js')).registerResume,
    tune: async () => (await import('./commands/steer.js')).registerTune,
    skip: async () => (await import('./commands/steer.js')).registerSkip,
    retry: async () => (await import('./commands/retry.js')).registerRetry,
    cancel: async () => (await import('./commands/steer.js')).registerCancel,
    rm: async () => (await import('./commands/rm.js')).registerRm,
  },
  'Results:': {
    trajectory: async () => (await import('./commands/trajectory.js')).registerTrajectory,
    score: async () => (await import('./commands/scores/score.js')).registerScore,
    review: async () => (await import('./commands/review.js')).registerReview,
    agreement: async () => (await import('./commands/scores/agreement.js')).registerAgreement,
    compare: async () => (await import('./commands/scores/compare.js')).registerCompare,
    report: async () => (await import('./commands/report.js')).registerReport,
    export: async () => (await import('./commands/export.js')).registerExport,
  },
};

/** Registers the named command. Without a known name, registers all of them for the help text. `completion` describes all. */
async function registerCommands(to: Command, name = ''): Promise<void> {
  const all = Object.entries(groups);
  const one = all.filter(([, commands]) => Object.hasOwn(commands, name));
  for (const [group, commands] of one.length > 0 ? one : all) {
    to.commandsGroup(group);
    const wanted = Object.entries(commands).filter(([each]) => one.length === 0 || each === name);
    const loaded = await Promise.all(wanted.map(([, load]) => load()));
    for (const register of loaded) register(to);
  }
}

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

const [, , named] = process.argv;
await registerCommands(program, named === 'completion' ? undefined : named);

// A reader such as `head` closes the pipe early: that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

try {
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
