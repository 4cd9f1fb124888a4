// cspell:ignore dryrun promptfo firts opne
import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, it } from 'vitest';
import { registerRm } from '../../../../client/commands/rm.js';
import { expectRefusal, inEmptyFolder } from '../../../support/commands/refused-command.js';

inEmptyFolder();

describe('rm', () => {
  it.each<[string, string[], RegExp]>([
    ['no run', ['rm'], /missing required argument 'run'/],
    [
      'a run that is not there',
      ['rm', 'none'],
      /there is no run none; `turnwise runs` lists those there are/,
    ],
    [
      'a mistyped run',
      ['rm', 'firts'],
      /there is no run firts \(did you mean first\?\); `turnwise runs` lists those there are/,
    ],
    [
      'a pattern that means none',
      ['rm', 'x*'],
      /no run matches x\*; `turnwise runs` lists those there are/,
    ],
    [
      'a path',
      ['rm', '../runs'],
      /there is no run "\.\.\/runs"; `turnwise runs` lists those there are/,
    ],
    [
      'an absolute path',
      ['rm', '/etc'],
      /there is no run "\/etc"; `turnwise runs` lists those there are/,
    ],
    ['an empty name', ['rm', ''], /there is no run ""; `turnwise runs` lists those there are/],
    [
      'two of which one is not there',
      ['rm', 'first', 'none'],
      /there is no run none; `turnwise runs` lists those there are/,
    ],
    [
      'a mistyped option',
      ['rm', 'first', '--dryrun'],
      /unknown option '--dryrun' \(did you mean --dry-run\?\)/,
    ],
    ['an option of another program', ['rm', '-rf', 'first'], /unknown option '-rf'/],
    ['a value of a switch', ['rm', 'first', '--yes=no'], /unknown option '--yes'/],
    ['a store', ['rm', '--store', 'mine'], /unknown option '--store'/],
    ['a name that is too long', ['rm', 'x'.repeat(200)], /there is no run/],
    [
      'nobody who can be asked',
      ['rm', 'first'],
      /this would remove run first \(1 file, 2 bytes\) for good: add --yes/,
    ],
    [
      'a name of dots',
      ['rm', '..'],
      /there is no run "\.\."; `turnwise runs` lists those there are/,
    ],
  ])('%s', async (_what, words, sentence) => {
    mkdirSync('home/runs/first', { recursive: true });
    writeFileSync('home/runs/first/manifest.json', '{}');
    await expectRefusal(registerRm, words, sentence);
  });
});
