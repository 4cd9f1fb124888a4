import type { Command } from 'commander';
import { UserError } from '../../domain/user-error.js';
import { showExamples } from './examples.js';

type Register = (program: Command) => void;

interface Loadable {
  /** What the list of commands says of it. */
  readonly summary: string;
  readonly load: () => Promise<Register>;
}

/** Every command by its name, in groups as `--help` shows them. A command is loaded when it is used: loading takes longer than most commands run. */
const groups: Readonly<Record<string, Readonly<Record<string, Loadable>>>> = {
  'Start:': {
    demo: {
      summary: 'ask the questions of an example, score them, write a report',
      load: async () => (await import('./demo.js')).registerDemo,
    },
    up: {
      summary: 'start Temporal, Milvus and a worker, until Ctrl-C',
      load: async () => (await import('./up.js')).registerUp,
    },
    view: {
      summary: 'all runs in a browser',
      load: async () => (await import('./view.js')).registerView,
    },
    doctor: {
      summary: 'what is configured and reachable, and what to do about it',
      load: async () => (await import('./doctor.js')).registerDoctor,
    },
    docs: {
      summary: 'the documentation of this version',
      load: async () => (await import('./docs.js')).registerDocs,
    },
  },
  'Ask:': {
    store: {
      summary: 'papers and databases that questions are asked over',
      load: async () => (await import('./store/store.js')).registerStore,
    },
    dataset: {
      summary: 'import, check and build datasets of questions',
      load: async () => (await import('./dataset/dataset.js')).registerDataset,
    },
    ask: {
      summary: 'ask one question',
      load: async () => (await import('./ask.js')).registerAsk,
    },
    run: {
      summary: 'ask every question of a dataset',
      load: async () => (await import('./run.js')).registerRun,
    },
    eval: {
      summary: 'compare models and methods on datasets',
      load: async () => (await import('./eval.js')).registerEval,
    },
    fork: {
      summary: 'go on anew from a turn of a run',
      load: async () => (await import('./fork.js')).registerFork,
    },
  },
  'Steer:': {
    runs: {
      summary: 'list runs, note something, rule on results, sign off, remove',
      load: async () => (await import('./runs/runs.js')).registerRuns,
    },
    status: {
      summary: 'where a run is, and what it waits for',
      load: async () => (await import('./status.js')).registerStatus,
    },
    pause: {
      summary: 'hold a run',
      load: async () => (await import('./steer.js')).registerPause,
    },
    resume: {
      summary: 'let a run go on',
      load: async () => (await import('./steer.js')).registerResume,
    },
    tune: {
      summary: 'change the limits of a run',
      load: async () => (await import('./steer.js')).registerTune,
    },
    retry: {
      summary: 'ask questions of a run again',
      load: async () => (await import('./retry.js')).registerRetry,
    },
    cancel: {
      summary: 'end a run, or one of its questions',
      load: async () => (await import('./steer.js')).registerCancel,
    },
  },
  'Read:': {
    report: {
      summary: 'one page about runs, with every conversation',
      load: async () => (await import('./report.js')).registerReport,
    },
    compare: {
      summary: 'whether runs differ by more than chance',
      load: async () => (await import('./scores/compare.js')).registerCompare,
    },
    trajectory: {
      summary: 'one conversation',
      load: async () => (await import('./trajectory.js')).registerTrajectory,
    },
    score: {
      summary: 'score a run again, or answers made elsewhere',
      load: async () => (await import('./scores/score.js')).registerScore,
    },
    review: {
      summary: 'have models review answers without a reference',
      load: async () => (await import('./review.js')).registerReview,
    },
    agreement: {
      summary: 'how far judges agree, and with people',
      load: async () => (await import('./scores/agreement.js')).registerAgreement,
    },
    export: {
      summary: 'the files of a run, in this and other formats',
      load: async () => (await import('./export.js')).registerExport,
    },
  },
  'Also:': {
    worker: {
      summary: 'a worker only, for a Temporal server of your own',
      load: async () => (await import('./worker.js')).registerWorker,
    },
    disk: {
      summary: 'what takes space, and removing what nobody needs',
      load: async () => (await import('./disk.js')).registerDisk,
    },
    'simulate-model': {
      summary: 'an endpoint with scripted replies, limits and faults',
      load: async () => (await import('./simulate-model.js')).registerSimulateModel,
    },
    verify: {
      summary: 'whether the receipt of a run is as it was made',
      load: async () => (await import('./export.js')).registerVerify,
    },
    completion: {
      summary: 'complete commands in your shell',
      load: async () => (await import('./completion.js')).registerCompletion,
    },
  },
};

/** Commands of before, by what does the same now. */
const renamed: Readonly<Record<string, string>> = {
  ingest: 'store add',
  enrich: 'store enrich',
  'store drop': 'store rm',
  prompt: 'ask --dry-run',
  skip: 'cancel RUN QUESTION',
  rm: 'runs rm',
  'store list --copies': 'disk',
  'store rm --copies': 'disk --free',
};

/** Throws UserError with the name of now where the words of a command begin with one of before. */
export function refuseOldName(words: readonly string[]): void {
  for (const old of [1, 2, 3].map((count) => words.slice(0, count).join(' '))) {
    const now = Object.hasOwn(renamed, old) ? renamed[old] : undefined;
    if (now !== undefined) throw new UserError(`\`${old}\` is now \`turnwise ${now}\``);
  }
}

/** Registers the named command. Without a known name, all their names and summaries for the help text. */
export async function registerCommands(to: Command, name = ''): Promise<void> {
  // These two describe other commands.
  const all = ['completion', 'help'].includes(name);
  const isKnown = Object.values(groups).some((commands) => Object.hasOwn(commands, name));
  for (const [group, commands] of Object.entries(groups)) {
    to.commandsGroup(group);
    for (const [each, { summary, load }] of Object.entries(commands)) {
      if (all || each === name) (await load())(to);
      else if (!isKnown) to.command(each);
      to.commands.find((command) => command.name() === each)?.summary(summary);
    }
  }
  to.helpOption('-h, --help', 'these lines; `turnwise run --help` shows those of a command');
  to.commandsGroup('');
  showExamples(to);
}
