import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { registerRun } from '../../../../client/commands/run.js';
import { expectRefusal, inEmptyFolder } from '../../../support/commands/refused-command.js';

inEmptyFolder();

it('refuses to leave a run behind that nobody would carry out, before it is written', async () => {
  const words = [
    'run',
    'plain.jsonl',
    '--method',
    'trivial_question_only',
    '--detach',
    '--yes',
    '--run',
    'r',
  ];
  await expectRefusal(registerRun, words, /^with --detach nothing would be left to do the work/);
  expect(existsSync('home/runs/r')).toBe(false);
});
