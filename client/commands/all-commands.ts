import type { Command } from 'commander';
import type { CommandLine } from './shared/command-line.js';
import { UserError } from '../../domain/user-error.js';

type Register = (program: CommandLine) => void;

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
      load: async () => (await import('./runs.js')).registerRuns,
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
      load: async () => (await import('./steer.js')).registerRetry,
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
export async function registerCommands(to: CommandLine, name = ''): Promise<void> {
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

/** What the help of each command ends with: lines that can be typed, by the command's words. */
export const examples: Readonly<Record<string, readonly string[]>> = {
  demo: ['turnwise demo', 'turnwise demo database-qa'],
  up: ['turnwise up'],
  view: ['turnwise view'],
  doctor: ['turnwise doctor'],
  docs: ['turnwise docs', 'turnwise docs scores'],
  worker: ['TEMPORAL_ADDRESS=127.0.0.1:7233 turnwise worker'],
  disk: ['turnwise disk', 'turnwise disk --free --yes'],
  'simulate-model': [
    'turnwise simulate-model --script replies.json --port 8080',
    'turnwise simulate-model --generated-turns 10 --tokens-per-minute 30000 --fault 503=0.02',
  ],
  completion: [
    "echo 'source <(turnwise completion bash)' >> ~/.bashrc",
    'turnwise completion zsh > ~/.zfunc/_turnwise',
    'turnwise completion fish > ~/.config/fish/completions/turnwise.fish',
  ],
  'store list': ['turnwise store list'],
  'store show': ['turnwise store show mine', "turnwise store show mine --paper 'A Paper of Turns'"],
  'store add': [
    'turnwise store add papers/ --store mine',
    'turnwise store add scans.pdf --store mine --scans keep',
  ],
  'store import': [
    'turnwise store import library.sqlite --store library',
    'turnwise store import processed_data/ --store theirs',
  ],
  'store enrich': ['turnwise store enrich mine --model gpt-4o-mini --budget-usd 2'],
  'store check': ['turnwise store check mine', 'turnwise store check mine --repair'],
  'store rm': ['turnwise store rm mine'],
  'dataset import': [
    'turnwise dataset import csv questions.csv --out questions.jsonl',
    'turnwise dataset import bird dev/ --out bird.jsonl',
  ],
  'dataset check': ['turnwise dataset check questions.jsonl --store mine'],
  'dataset build': [
    'turnwise dataset build seeds.jsonl --dataset shops --model gpt-4o-mini --budget-usd 5',
  ],
  'dataset pause': ['turnwise dataset pause shops'],
  'dataset resume': ['turnwise dataset resume shops'],
  'dataset prompts': ['turnwise dataset prompts shops > prompts.json'],
  'dataset gates': ['turnwise dataset gates shops'],
  'dataset show': ['turnwise dataset show shops shops-1'],
  'dataset confirm': ['turnwise dataset confirm shops shops-1 --seen 3 --accept --by ada'],
  'dataset assign': ['turnwise dataset assign shops shops-1 shops-2 --to ada'],
  'dataset status': ['turnwise dataset status shops'],
  'dataset export': ['turnwise dataset export shops --out shops.jsonl'],
  ask: [
    "turnwise ask 'Which retriever does the paper use?' --store mine",
    "turnwise ask 'How many books are on loan?' --database library.sqlite --method text-to-sql",
    'turnwise ask --dry-run --store mine',
  ],
  run: [
    'turnwise run questions.jsonl --store mine --sample 20 --dry-run',
    'turnwise run questions.jsonl --store mine --model gpt-4o-mini --budget-usd 5 --run first',
    'turnwise run questions.jsonl --store mine --run first --budget-usd 10',
    'turnwise run plain.jsonl --method trivial_question_only --epochs 3',
  ],
  eval: [
    'turnwise eval eval.yaml --dry-run',
    'turnwise eval eval.yaml --yes --out page.html',
    'turnwise eval --schema > evaluation.schema.json',
  ],
  fork: ['turnwise fork first --model gpt-4o --from-turn 3'],
  runs: ['turnwise runs', "turnwise runs rm 'trial-*' --dry-run"],
  'runs note': [
    "turnwise runs note first --tag baseline --text 'before the new prompt'",
    'turnwise runs note first q7 --tag label-error',
    'turnwise runs note first',
  ],
  'runs rule': [
    "turnwise runs rule first q7 --exclude --reason 'the store was being rebuilt'",
    'turnwise runs rule first',
  ],
  'runs sign': ['turnwise runs sign first --by ada'],
  'runs rm': ["turnwise runs rm 'trial-*' --dry-run", 'turnwise runs rm first --yes'],
  status: ['turnwise status first', 'turnwise status first --watch'],
  pause: ['turnwise pause first', 'turnwise pause first --now'],
  resume: ['turnwise resume first'],
  tune: ['turnwise tune first --concurrency 50 --budget-usd 10'],
  retry: ['turnwise retry first', 'turnwise retry first --outcome turn-limit'],
  cancel: ['turnwise cancel first', 'turnwise cancel first q7'],
  report: ['turnwise report first', 'turnwise report first second --out page.html'],
  compare: ['turnwise compare first second', 'turnwise compare first second third --json'],
  trajectory: ['turnwise trajectory first q7', 'turnwise trajectory first q7 --out q7.jsonl'],
  score: [
    'turnwise score first --judge-model gpt-4o-mini',
    'turnwise score first --by difficulty',
    'turnwise score --predictions answers.jsonl --gold questions.jsonl',
  ],
  review: ['turnwise review first --reviewers gpt-4o-mini,gpt-4o --budget-usd 3'],
  agreement: ['turnwise agreement first', 'turnwise agreement first --labels labels.jsonl'],
  export: ['turnwise export first --out first-files --format csv --format inspect'],
  verify: ['turnwise verify first-files/receipt.jsonl'],
};

/** Ends the help of each command, and of its own, with its examples. */
function showExamples(command: Command, above = ''): void {
  for (const each of command.commands) {
    const words = `${above} ${each.name()}`.trim();
    const lines = examples[words] ?? [];
    if (lines.length > 0)
      each.addHelpText('after', ['', 'Examples:', ...lines.map((line) => `  ${line}`)].join('\n'));
    showExamples(each, words);
  }
}
