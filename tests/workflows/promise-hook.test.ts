import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { beforeAll, expect, it } from 'vitest';
import { startRunsUnderTest, type RunsUnderTest } from '../support/runs-under-test.js';

let runs: RunsUnderTest;
beforeAll(async () => {
  runs = await startRunsUnderTest();
  return () => runs.stop();
});

it('a workflow says where it waits', async () => {
  const run = runs.runOf(['a'], 1, ['a']);
  const handle = await run.start();
  await run.untilAsked('a');
  expect(await run.question('a').query('__stack_trace')).toMatch(/ at .*ask-turn\.ts:\d+/);
  run.release('a');
  await handle.result();
});

it('what the SDK has compiled for every promise is made already', () => {
  const sdk = createRequire(import.meta.url).resolve(
    '@temporalio/worker/lib/workflow/vm-shared.js',
  );
  const wanted = readFileSync(sdk, 'utf8').match(/'return globalThis[^']*'/g);
  const made = readFileSync(new URL('../../workflows/promise-hook.ts', import.meta.url), 'utf8');
  expect(wanted).toHaveLength(2);
  for (const source of wanted ?? []) expect(made).toContain(source);
});
