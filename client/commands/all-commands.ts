import type { Command } from 'commander';
import type { CommandLine } from './shared/command-line.js';
import { UserError } from '../../domain/user-error.js';

type Register = (program: CommandLine) => void;

/** A command is loaded when it is used: loading takes longer than most commands run. */
const commands = {
  demo: async () => (await import('./demo.js')).registerDemo,
  up: async () => (await import('./up.js')).registerUp,
  view: async () => (await import('./view.js')).registerView,
  doctor: async () => (await import('./doctor.js')).registerDoctor,
  docs: async () => (await import('./docs.js')).registerDocs,
  store: async () => (await import('./store/store.js')).registerStore,
  dataset: async () => (await import('./dataset/dataset.js')).registerDataset,
  ask: async () => (await import('./ask.js')).registerAsk,
  run: async () => (await import('./run.js')).registerRun,
  eval: async () => (await import('./eval.js')).registerEval,
  fork: async () => (await import('./fork.js')).registerFork,
  runs: async () => (await import('./runs.js')).registerRuns,
  status: async () => (await import('./status.js')).registerStatus,
  pause: async () => (await import('./steer.js')).registerPause,
  resume: async () => (await import('./steer.js')).registerResume,
  tune: async () => (await import('./steer.js')).registerTune,
  retry: async () => (await import('./steer.js')).registerRetry,
  cancel: async () => (await import('./steer.js')).registerCancel,
  report: async () => (await import('./report.js')).registerReport,
  compare: async () => (await import('./scores/compare.js')).registerCompare,
  trajectory: async () => (await import('./trajectory.js')).registerTrajectory,
  score: async () => (await import('./scores/score.js')).registerScore,
  review: async () => (await import('./review.js')).registerReview,
  agreement: async () => (await import('./scores/agreement.js')).registerAgreement,
  export: async () => (await import('./export.js')).registerExport,
  worker: async () => (await import('./worker.js')).registerWorker,
  disk: async () => (await import('./disk.js')).registerDisk,
  'simulate-model': async () => (await import('./simulate-model.js')).registerSimulateModel,
  verify: async () => (await import('./export.js')).registerVerify,
  completion: async () => (await import('./completion.js')).registerCompletion,
} satisfies Record<string, () => Promise<Register>>;
type CommandName = keyof typeof commands;

/** What the list of commands says of each, in groups as `--help` shows them. */
const groups: Readonly<Record<string, Partial<Record<CommandName, string>>>> = {
  'Start:': {
    demo: 'ask the questions of an example, score them, write a report',
    up: 'start Temporal, Milvus and a worker, until Ctrl-C',
    view: 'all runs in a browser',
    doctor: 'what is configured and reachable, and what to do about it',
    docs: 'the documentation of this version',
  },
  'Ask:': {
    store: 'papers and databases that questions are asked over',
    dataset: 'import, check and build datasets of questions',
    ask: 'ask one question',
    run: 'ask every question of a dataset',
    eval: 'compare models and methods on datasets',
    fork: 'go on anew from a turn of a run',
  },
  'Steer:': {
    runs: 'list runs, note something, rule on results, sign off, remove',
    status: 'where a run is, and what it waits for',
    pause: 'hold a run',
    resume: 'let a run go on',
    tune: 'change the limits of a run',
    retry: 'ask questions of a run again',
    cancel: 'end a run, or one of its questions',
  },
  'Read:': {
    report: 'one page about runs, with every conversation',
    compare: 'whether runs differ by more than chance',
    trajectory: 'one conversation',
    score: 'score a run again, or answers made elsewhere',
    review: 'have models review answers without a reference',
    agreement: 'how far judges agree, and with people',
    export: 'the files of a run, in this and other formats',
  },
  'Also:': {
    worker: 'a worker only, for a Temporal server of your own',
    disk: 'what takes space, and removing what nobody needs',
    'simulate-model': 'an endpoint with scripted replies, limits and faults',
    verify: 'whether the receipt of a run is as it was made',
    completion: 'complete commands in your shell',
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
  const isKnown = Object.hasOwn(commands, name);
  for (const [group, summaries] of Object.entries(groups)) {
    to.commandsGroup(group);
    for (const [each, summary] of Object.entries(summaries)) {
      // A group has only names of commands.
      if (all || each === name) (await commands[each as CommandName]())(to);
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
