// cspell:ignore dryrun promptfo firts opne
import { writeFileSync } from 'node:fs';
import { describe, it } from 'vitest';
import { registerEval } from '../../../../client/commands/eval.js';
import { expectRefusal, inEmptyFolder } from '../../../support/commands/refused-command.js';

inEmptyFolder();

describe('eval', () => {
  const good = { datasets: ['plain.jsonl'], methods: ['trivial_question_only'], models: ['m'] };
  const file = (text: string | object): string[] => {
    writeFileSync('eval.yaml', typeof text === 'string' ? text : JSON.stringify(text));
    return ['eval', 'eval.yaml', '--dry-run'];
  };
  it.each<[string, () => string[], RegExp]>([
    [
      'no file',
      () => ['eval'],
      /name the file of the evaluation; `turnwise docs evaluations` has an example/,
    ],
    [
      'a file that is not there',
      () => ['eval', 'none.yaml'],
      /none\.yaml cannot be read: there is no such file/,
    ],
    ['a folder', () => ['eval', '.'], /\. cannot be read: it is a folder/],
    [
      'two files',
      () => ['eval', 'a.yaml', 'b.yaml'],
      /too many arguments for 'eval'\. Expected 1 argument but got 2\./,
    ],
    [
      'a mistyped option',
      () => ['eval', 'eval.yaml', '--dryrun'],
      /unknown option '--dryrun' \(did you mean --dry-run\?\)/,
    ],
    ['an empty file', () => file(''), /in eval\.yaml, line 1: datasets is missing/],
    [
      'no YAML',
      () => file('datasets: [plain.jsonl\nmethods: }'),
      /eval\.yaml is not YAML: Flow sequence in block collection must be sufficiently/,
    ],
    ['a list', () => file([good]), /in eval\.yaml, line 1: it must be a list of `name: value`/],
    [
      'a mistyped key',
      () => file({ ...good, dataset: ['x'] }),
      /in eval\.yaml, line 1: dataset is no setting \(did you mean datasets\?\)/,
    ],
    [
      'a dataset that is not there',
      () => file({ ...good, datasets: ['none.jsonl'] }),
      /the dataset none\.jsonl cannot be read: there is no such file/,
    ],
    [
      'no datasets',
      () => file({ ...good, datasets: [] }),
      /in eval\.yaml, line 1: datasets must have at least 1 entry/,
    ],
    [
      'a method that nobody has',
      () => file({ ...good, methods: ['trivial_question'] }),
      /in eval\.yaml, line 1: methods\[0\] must be one of hybrid_react, database_react,/,
    ],
    [
      'a budget below zero',
      () => file({ ...good, budget: { usd: -1 } }),
      /in eval\.yaml, line 1: budget\.usd must be at least 0\.000001/,
    ],
    [
      'a budget without a price',
      () => file({ ...good, budget: { usd: 1 } }),
      /plain by trivial_question_only with m: what m costs is not known, so a budget/,
    ],
    [
      'a method that needs a store',
      () => file({ ...good, methods: ['classic_rag'] }),
      /plain by classic_rag with m: method classic_rag reads papers: name their store/,
    ],
    [
      'epochs of none',
      () => file({ ...good, epochs: 0 }),
      /in eval\.yaml, line 1: epochs must be at least 1/,
    ],
    [
      'a plugin that is not there',
      () => file({ ...good, plugins: ['mine.ts'] }),
      /plugin .*mine\.ts: there is no such file/,
    ],
    [
      'a scorer without its plugin',
      () => file({ ...good, scorer: 'short' }),
      /there is no scorer short: name the file that has it with --plugin/,
    ],
    [
      'a name that is a path',
      () => file({ ...good, name: '../x' }),
      /in eval\.yaml, line 1: name must be 1 to 80 letters, digits, dots, underscores/,
    ],
  ])('%s', async (_what, words, sentence) => expectRefusal(registerEval, words(), sentence));
});
