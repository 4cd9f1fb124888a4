import type { Command } from 'commander';

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
export function showExamples(command: Command, above = ''): void {
  for (const each of command.commands) {
    const words = `${above} ${each.name()}`.trim();
    const lines = examples[words] ?? [];
    if (lines.length > 0)
      each.addHelpText('after', ['', 'Examples:', ...lines.map((line) => `  ${line}`)].join('\n'));
    showExamples(each, words);
  }
}
