// cspell:ignore dryrun promptfo firts opne
import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, it } from 'vitest';
import { registerRuns } from '../../../../client/commands/runs.js';
import { expectRefusal, inEmptyFolder } from '../../../support/commands/refused-command.js';

inEmptyFolder();

describe('runs rm', () => {
  it.each<[string, string[], RegExp]>([
    [
      'no run',
      ['runs', 'rm'],
      /missing required argument 'run': turnwise runs rm \[options\] <run\.\.\.>/,
    ],
    [
      'a run that is not there',
      ['runs', 'rm', 'none'],
      /there is no run none; `turnwise runs` lists those there are/,
    ],
    [
      'a mistyped run',
      ['runs', 'rm', 'firts'],
      /there is no run firts \(did you mean first\?\); `turnwise runs` lists those there are/,
    ],
    [
      'a pattern that means none',
      ['runs', 'rm', 'x*'],
      /no run matches x\*; `turnwise runs` lists those there are/,
    ],
    [
      'a path',
      ['runs', 'rm', '../runs'],
      /there is no run "\.\.\/runs"; `turnwise runs` lists those there are/,
    ],
    [
      'an absolute path',
      ['runs', 'rm', '/etc'],
      /there is no run "\/etc"; `turnwise runs` lists those there are/,
    ],
    [
      'an empty name',
      ['runs', 'rm', ''],
      /there is no run ""; `turnwise runs` lists those there are/,
    ],
    [
      'two of which one is not there',
      ['runs', 'rm', 'first', 'none'],
      /there is no run none; `turnwise runs` lists those there are/,
    ],
    [
      'a mistyped option',
      ['runs', 'rm', 'first', '--dryrun'],
      /unknown option '--dryrun' \(did you mean --dry-run\?\)/,
    ],
    ['an option of another program', ['runs', 'rm', '-rf', 'first'], /unknown option '-rf'/],
    ['a value of a switch', ['runs', 'rm', 'first', '--yes=no'], /unknown option '--yes'/],
    ['a store', ['runs', 'rm', '--store', 'mine'], /unknown option '--store'/],
    ['a name that is too long', ['runs', 'rm', 'x'.repeat(200)], /there is no run/],
    [
      'nobody who can be asked',
      ['runs', 'rm', 'first'],
      /this would remove run first \(1 file, 2 bytes\) for good: add --yes/,
    ],
    [
      'a name of dots',
      ['runs', 'rm', '..'],
      /there is no run "\.\."; `turnwise runs` lists those there are/,
    ],
  ])('%s', async (_what, words, sentence) => {
    mkdirSync('home/runs/first', { recursive: true });
    writeFileSync('home/runs/first/manifest.json', '{}');
    await expectRefusal(registerRuns, words, sentence);
  });
});
