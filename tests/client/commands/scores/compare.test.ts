import { CommandLine } from '../../../../client/commands/shared/command-line.js';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { registerCompare } from '../../../../client/commands/scores/compare.js';
import { runIdSchema } from '../../../../domain/ids.js';
import { exitStatus } from '../../../../domain/user-error.js';
import { captureOutput } from '../../../support/commands/capture-output.js';
import { exampleEnd, sampleKey } from '../../../support/runs/example-records.js';
import { runInFolder } from '../../../support/runs/run-in-folder.js';

vi.mock('../../../../client/services/programs.js', async (original) => ({
  ...(await original<object>()),
  packageVersion: () => '0.0.0',
}));

let home = '';
const output = captureOutput();
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'turnwise-compare-'));
  vi.stubEnv('TURNWISE_HOME', home);
  vi.spyOn(process, 'cwd').mockReturnValue(home);
  await endedRun('base', 0);
  await endedRun('slightly-worse', 2);
  await endedRun('much-worse', 9);
});
afterEach(() => {
  process.exitCode = undefined;
  vi.unstubAllEnvs();
});

/** Twelve questions, of which the first `wrong` were answered wrongly. */
async function endedRun(name: string, wrong: number, prefix = 'q'): Promise<void> {
  const evaluator = { eval_func: 'eval_int_exact_match', eval_kwargs: { gold: 20 } };
  const uuids = Array.from({ length: 12 }, (_, index) => `${prefix}${index}`);
  const { runFiles, manifest } = runInFolder(
    uuids.map((uuid) => ({ uuid, question: 'How many?', tags: ['text'], evaluator })),
    (example) => ({ ...example, run: runIdSchema.parse(name), status: 'done' }),
    home,
  );
  await runFiles.publish(
    manifest.run,
    uuids.map((uuid, index) => {
      const { result, score } = exampleEnd(sampleKey(uuid));
      const right = index < wrong ? 0 : 1;
      return {
        result: { ...result, answer: right === 1 ? '20' : '21', turns: 3, costUsd: 0.01 },
        score: { ...score, score: right, verdict: { kind: 'scored' as const, score: right } },
      };
    }),
  );
}

async function compare(...args: readonly string[]): Promise<string> {
  const program = new CommandLine('turnwise');
  registerCompare(program);
  program.commands[0]?.exitOverride().configureOutput({ writeErr: () => undefined });
  await program.parseAsync(['compare', ...args], { from: 'user' });
  return output.stdout;
}

it('says first what it comes to, then scores, turns, cost and who flipped', async () => {
  const lines = (await compare('base', 'much-worse', '--by', 'tags')).split('\n');
  expect(lines[0]).toMatch(
    /^much-worse is worse than base: −0\.750, .*p = 0\.004 by 12 questions$/,
  );
  expect(lines).toContainEqual(expect.stringMatching(/^base +1\.000 .* 12 +12 +3\.0 +\$0\.12$/));
  expect(lines).toContainEqual(expect.stringMatching(/^against base +much-worse$/));
  expect(lines).toContainEqual(expect.stringMatching(/^worse +9$/));
  expect(lines).toContain('q0        1.00, 3 turns  0.00, 3 turns  answer: 20 → 21');
  expect(lines).toContainEqual(expect.stringMatching(/^text +12 +1\.000 +0\.250 +−0\.750/));
});

it('compares several at once, and says that it corrects for that', async () => {
  const shown = await compare('base', 'slightly-worse', 'much-worse');
  expect(shown).toMatch(/^not decisive: slightly-worse scores lower than base/);
  expect(shown).toContain('much-worse is worse than base');
  expect(shown).toContain('p-values are corrected for 2 comparisons');
});

it('is one document with --json, words included', async () => {
  expect(JSON.parse(await compare('base', 'slightly-worse', '--json'))).toMatchObject({
    baseline: { run: 'base' },
    candidates: [
      {
        words: expect.stringMatching(/^not decisive/) as string,
        verdict: 'not-decisive',
        flips: [{ uuid: 'q0', because: 'answer' }, { uuid: 'q1' }],
      },
    ],
  });
});

it('fails a check for what is decisively worse, and for nothing less', async () => {
  await compare('base', 'slightly-worse', '--fail-if', 'worse');
  expect(process.exitCode).toBeUndefined();
  await compare('base', 'slightly-worse', 'much-worse', '--fail-if', 'worse');
  expect(process.exitCode).toBe(1);
});

it('does not let a check pass that had nothing to go by', async () => {
  await endedRun('elsewhere', 0, 'other');
  await expect(compare('base', 'elsewhere', '--fail-if', 'worse')).rejects.toMatchObject({
    status: exitStatus.comparisonUndecided,
    message: expect.stringContaining('--fail-if cannot tell for elsewhere') as string,
  });
});

it('refuses a run named twice and one that does not exist', async () => {
  await expect(compare('base', 'base')).rejects.toThrow('run base is named twice');
  await expect(compare('base', 'nowhere')).rejects.toThrow('there is no run nowhere');
});
