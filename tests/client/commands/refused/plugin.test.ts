// cspell:ignore dryrun promptfo firts opne
import { writeFileSync } from 'node:fs';
import { describe, it } from 'vitest';
import { registerRun } from '../../../../client/commands/run.js';
import { expectRefusal, inEmptyFolder } from '../../../support/commands/refused-command.js';

inEmptyFolder();

describe('--plugin', () => {
  const run = (...more: string[]): string[] => [
    ...['run', 'plain.jsonl', '--method', 'trivial_question_only', '--dry-run'],
    ...more,
  ];
  const plugin = (text: string): string[] => {
    writeFileSync('mine.ts', text);
    return run('--plugin', 'mine.ts');
  };
  const scorer = (fields: string): string[] =>
    plugin(
      `import { defineScorer } from 'turnwise';\nexport const a = defineScorer({ ${fields} });\n`,
    );
  it.each<[string, () => string[], RegExp]>([
    [
      'a file that is not there',
      () => run('--plugin', 'none.ts'),
      /plugin none\.ts: there is no such file/,
    ],
    ['a folder', () => run('--plugin', '.'), /plugin \.: it is a folder; name the file in it/],
    ['an empty name', () => run('--plugin', ''), /--plugin needs the path of a file/],
    ['no value', () => run('--plugin'), /option '--plugin <file>' argument missing/],
    ['no code', () => plugin('export const = 1;\n'), /plugin mine\.ts:1:14: Unexpected token/],
    [
      'an import that is not there',
      () => plugin("import './other.ts';\n"),
      /plugin mine\.ts:1:8: Could not resolve '\.\/other\.ts' in mine\.ts/,
    ],
    [
      'a package that is not there',
      () => plugin("import 'no-such-package';\n"),
      /plugin mine\.ts:1:8: Could not resolve 'no-such-package' in mine\.ts/,
    ],
    ['code that throws', () => plugin("throw new Error('boom');\n"), /plugin mine\.ts:1: boom/],
    [
      'no definition',
      () => plugin('export const a = 1;\n'),
      /plugin mine\.ts: exports nothing that defineScorer, defineMethod or defineAction/,
    ],
    [
      'a scorer without a function',
      () => scorer("name: 'a'"),
      /plugin mine\.ts: scorer a has no function score/,
    ],
    [
      'a scorer without a name',
      () => scorer('score: () => 1'),
      /plugin mine\.ts: scorer: name: its name is no text/,
    ],
    [
      'a scorer with the name of a function of turnwise',
      () => scorer("name: 'eval_bool_exact_match', score: () => 1"),
      /plugin mine\.ts: scorer eval_bool_exact_match: turnwise has one of that name/,
    ],
    [
      'a scorer that is not there',
      () => [...scorer("name: 'short', score: () => 1"), '--scorer', 'shot'],
      /there is no scorer shot: choose one of short/,
    ],
    [
      'a scorer and a program',
      () => run('--scorer', 'a', '--scorer-program', 'b'),
      /--scorer and --scorer-program exclude each other/,
    ],
    [
      'an empty program',
      () => run('--scorer-program', ' '),
      /--scorer-program is an empty command/,
    ],
    [
      'a method without its plugin',
      () => ['run', 'plain.jsonl', '--method', 'glossary_react'],
      /there is no method glossary_react: choose one of hybrid_react, database_react,/,
    ],
    ['a picture', () => plugin('\u0000\u0001PNG'), /plugin mine\.ts:1:1: Invalid Character `.`/],
  ])('%s', async (_what, words, sentence) => expectRefusal(registerRun, words(), sentence));
});
