import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { trajectoryFile } from '../../domain/runs/run-manifest.js';
import { sampleKey } from '../support/runs/example-records.js';
import { startRunsUnderTest, type RunsUnderTest } from '../support/runs/runs-under-test.js';

let runs: RunsUnderTest;
beforeAll(async () => {
  runs = await startRunsUnderTest();
  return () => runs.stop();
});

it('questions are answered and retried under the uuids that their dataset gave them', async () => {
  const uuids = ['HumanEval/0', 'Q1', 'q1', '問題 7', 'x'.repeat(300)];
  const run = runs.runOf(uuids, uuids.length);
  const handle = await run.start();
  expect(await handle.result()).toMatchObject({ outcomes: { answered: uuids.length } });
  expect(run.outcomes().toSorted()).toEqual(uuids.map((uuid) => `${uuid} answered`).toSorted());
  for (const uuid of uuids) {
    expect(readFileSync(join(run.folder, trajectoryFile(sampleKey(uuid))), 'utf8')).toContain(uuid);
  }
});
