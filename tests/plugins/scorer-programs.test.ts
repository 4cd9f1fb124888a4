import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { ownVerdict } from '../../domain/scoring/own-scorer.js';
import { createScorerPrograms } from '../../plugins/own-code.js';

const folder = mkdtempSync(join(tmpdir(), 'turnwise-programs-'));
const programs = createScorerPrograms();
afterAll(() => {
  programs.close();
  rmSync(folder, { recursive: true });
});

/** A program that does for each line what its text says; `process.pid` tells which process it was. */
const program = join(folder, 'scorer.mjs');
writeFileSync(
  program,
  `import { createInterface } from 'node:readline';
let lines = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const { answer } = JSON.parse(line);
  lines += 1;
  if (answer === 'late') await new Promise((resolve) => setTimeout(resolve, 1e6));
  if (answer === 'crash') { console.error('Traceback (most recent call last):\\n  File "mine.py", line 7, in <module>\\nValueError: no gold.'); process.exit(3); }
  if (answer === 'silent') process.exit(0);
  if (answer === 'nonsense') { console.log('loading the model'); continue; }
  if (answer === 'text') { console.log(JSON.stringify({ score: 'high' })); continue; }
  if (answer === 'high') { console.log(JSON.stringify({ score: 3 })); continue; }
  if (answer === 'null') { console.log(JSON.stringify({ score: null, reason: 'no such unit' })); continue; }
  console.log('\\n' + JSON.stringify({ score: lines / 10, reason: String(process.pid) }));
  if (answer === 'last') process.exit(0);
}
`,
);
const command = `'${process.execPath}' '${program}'`;
const ask = (answer: string, more = {}, signal = new AbortController().signal) =>
  programs.callProgram({ command, input: { answer }, timeoutMs: 60_000, ...more }, signal);

it('gives one process line after line', async () => {
  const first = ownVerdict(await ask('a'));
  const second = ownVerdict(await ask('b'));
  expect(first).toMatchObject({ kind: 'scored', score: 0.1 });
  expect(second).toMatchObject({ kind: 'scored', score: 0.2 });
  expect(second).toHaveProperty('rationale', first.kind === 'scored' && first.rationale);
});

it('starts a program again that ends after each answer', async () => {
  expect(await ask('last')).toMatchObject({ kind: 'returned' });
  expect(await ask('last')).toMatchObject({ value: { score: 0.1 } });
  expect(await ask('last')).toMatchObject({ value: { score: 0.1 } });
});

it.each([
  [
    'crash',
    'scorer-failed',
    'the scorer program ended with status 3: mine.py:7: ValueError: no gold',
  ],
  ['silent', 'scorer-failed', 'the scorer program ended with status 0 and without an answer'],
  [
    'nonsense',
    'scorer-failed',
    'the scorer program is to print one line of JSON for each answer, and printed loading the model',
  ],
  [
    'text',
    'scorer-failed',
    'the scorer gave no score: it is neither a number nor an object with a "score"',
  ],
  ['high', 'scorer-failed', 'the scorer gave 3, which is not from 0 to 1'],
  ['null', 'scorer-abstained', 'no such unit'],
])('leaves an answer unscored after %s, with the reason', async (answer, reason, message) => {
  expect(ownVerdict(await ask(answer))).toEqual({ kind: 'unscored', reason, message });
});

it('kills a program that is late, and asks another process for the next answer', async () => {
  expect(ownVerdict(await ask('late', { timeoutMs: 1000 }))).toEqual({
    kind: 'unscored',
    reason: 'scorer-failed',
    message: 'the scorer program did not answer within 1 seconds',
  });
  expect(await ask('a')).toMatchObject({ kind: 'returned' });
});

it('rejects with the reason of a signal that aborts', async () => {
  const controller = new AbortController();
  const waiting = ask('late', {}, controller.signal);
  controller.abort(new Error('cancelled'));
  await expect(waiting).rejects.toThrow('cancelled');
});

it('says of a command that does not exist what the shell says', async () => {
  expect(await ask('a', { command: './no-such-program' })).toMatchObject({
    failure: 'crash',
    message: expect.stringMatching(/ended with status 127: .*not found/) as string,
  });
});

it('answers more at once than it has processes', async () => {
  const all = await Promise.all(Array.from({ length: 12 }, () => ask('a')));
  expect(all.every(({ kind }) => kind === 'returned')).toBe(true);
});
