// cspell:ignore dryrun promptfo firts opne
import { writeFileSync } from 'node:fs';
import { describe, it } from 'vitest';
import { registerDataset } from '../../../../client/commands/dataset/dataset.js';
import { expectRefusal, inEmptyFolder } from '../../../support/commands/refused-command.js';

inEmptyFolder();

describe('dataset import', () => {
  const file = (format: string, text: string, ...more: string[]): string[] => {
    writeFileSync('given', text);
    return ['dataset', 'import', format, 'given', ...more];
  };
  it.each<[string, () => string[], RegExp]>([
    ['no format', () => ['dataset', 'import'], /missing required argument 'format'/],
    [
      'a format that is not known',
      () => ['dataset', 'import', 'hugging-face', 'x'],
      /command-argument value 'hugging-face' is invalid for argument 'format'\. Allowed/,
    ],
    [
      'a mistyped format',
      () => ['dataset', 'import', 'promptfo', 'x'],
      /value 'promptfo' is invalid .* \(did you mean promptfoo\?\)/,
    ],
    ['no path', () => ['dataset', 'import', 'csv'], /missing required argument 'path'/],
    [
      'a file that is not there',
      () => ['dataset', 'import', 'csv', 'none.csv'],
      /none\.csv cannot be read: there is no such file/,
    ],
    ['a folder', () => ['dataset', 'import', 'csv', '.'], /\. cannot be read: it is a folder/],
    ['an empty file', () => file('csv', ''), /given: it has no header/],
    [
      'a header without rows',
      () => file('csv', 'question,answer\n'),
      /given: it holds no questions/,
    ],
    [
      'no column of questions',
      () => file('csv', 'a,b\n1,2\n'),
      /given: line 1: there is no column question, but a, b; --field question=COLUMN/,
    ],
    [
      'a column that is not there',
      () => file('csv', 'a,b\n1,2\n', '--field', 'question=c'),
      /given: line 1: there is no column c, but a, b; --field question=COLUMN names/,
    ],
    [
      'a field that is not known',
      () => file('csv', 'a,b\n1,2\n', '--field', 'frage=a'),
      /option '--field <field=name>' argument 'frage=a' is invalid\. It must be/,
    ],
    [
      'a separator of two',
      () => file('csv', 'question\nx\n', '--separator', ';;'),
      /option '--separator <character>' argument ';;' is invalid\. It must be one/,
    ],
    [
      'a quote that does not end',
      () => file('csv', 'question\n"x\n'),
      /given: line 2: a quotation mark is not closed rightly/,
    ],
    ['no JSON', () => file('openai-evals', '{"input":'), /given: line 1: is not a JSON object/],
    [
      'JSON of another shape',
      () => file('openai-evals', '[1]\n'),
      /given: line 1: is a list, where one JSON object is wanted/,
    ],
    [
      'no YAML',
      () => file('promptfoo', 'tests: [\n'),
      /given: line 2: Flow sequence in block collection must be sufficiently indented/,
    ],
    [
      'YAML of another shape',
      () => file('promptfoo', 'prompts: x\n'),
      /given: line 1: there is no list of tests in it; tests that other files hold are/,
    ],
    [
      'a benchmark that is a file',
      () => file('spider', 'x'),
      /given: there is no dev\.json, test\.json or train_spider\.json in this folder/,
    ],
    [
      'a folder that is no benchmark',
      () => ['dataset', 'import', 'bird', '.'],
      /\.: there is no dev\.json, train\.json or mini_dev_sqlite\.json in this folder/,
    ],
    [
      'an evaluator that is not known',
      () => file('csv', 'question\nx\n', '--evaluator', 'equal'),
      /option '--evaluator <function>' argument 'equal' is invalid\. Allowed choices/,
    ],
  ])('%s', async (_what, words, sentence) => expectRefusal(registerDataset, words(), sentence));
});
