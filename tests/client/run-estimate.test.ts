import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { RunPlan } from '../../client/prepare-run.js';
import { RunFolder } from '../../client/run-folder.js';
import { runEstimateText } from '../../client/run-estimate.js';
import { runIdSchema } from '../../domain/ids.js';
import { datasetItemSchema } from '../../domain/questions/dataset-item.js';
import { resultsFile } from '../../domain/runs/run-layout.js';
import { exampleManifest } from '../support/example-manifest.js';
import { exampleEnd, exampleReply, sampleKey } from '../support/example-records.js';
import { newHome } from '../support/command-line.js';
import { runInFolder } from '../support/run-in-folder.js';

const lines = ['a', 'b', 'c'].map((uuid) => ({ uuid, question: 'How many?' }));

function planIn(home: string, kind: RunPlan['kind'], run: string): RunPlan {
  const example = exampleManifest();
  const id = runIdSchema.parse(run);
  return {
    kind,
    folder: new RunFolder(home, id),
    manifest: { ...example, run: id, dataset: { ...example.dataset, items: lines.length } },
    items: lines.map((line) => datasetItemSchema.parse(line)),
    text: '',
    fork: null,
    notes: [],
  };
}

/** A question that took five calls of 5,000 tokens and ten seconds. */
function resultOf(uuid: string): string {
  const { result } = exampleEnd(sampleKey(uuid));
  const usage = { ...result.usage, promptTokens: 25_000, completionTokens: 500, calls: 5 };
  const endedAt = '2026-01-01T00:00:10.000Z';
  return `${JSON.stringify({ ...result, turns: 5, usage, endedAt })}\n`;
}

it('goes by what is usual where no run of the kind is there', async () => {
  const home = newHome();
  const estimate = await runEstimateText(planIn(home, 'new', 'first'), home);
  expect(estimate).toMatch(/^3 questions, hybrid_react with a-model, at most 20 at once\n/);
  expect(estimate).toMatch(/model calls +9 +18 +60\n/);
  expect(estimate).toMatch(/no earlier run/);
});

it('goes by earlier runs of the same method and model, and by what is left of its own', async () => {
  const { manifest } = planIn('', 'new', 'earlier');
  const { home, folder } = runInFolder(lines, () => manifest);
  const ended = (...uuids: readonly string[]): void =>
    writeFileSync(join(folder, resultsFile), uuids.map(resultOf).join(''));
  ended('a', 'b');
  const estimate = await runEstimateText(planIn(home, 'new', 'another'), home);
  expect(estimate).toMatch(/model calls +15 +15 +15\n/);
  expect(estimate).toMatch(/time +10 s/);
  expect(estimate).toMatch(/from 2 questions of 1 earlier run of hybrid_react with a-model/);
  const rest = planIn(home, 'continued', 'earlier');
  expect(await runEstimateText(rest, home)).toMatch(/^1 of 3 questions/);
  ended('a', 'b', 'c');
  expect(await runEstimateText(rest, home)).toBeNull();
});

it('counts of a fork the turns to come', async () => {
  const { home, manifest, runFiles } = runInFolder(
    lines,
    () => planIn('', 'new', 'forked').manifest,
  );
  for (const [uuid, turns] of [
    ['a', 4],
    ['b', 1],
    ['c', 2],
  ] as const) {
    for (const turn of Array.from({ length: turns }, (_, index) => index + 1)) {
      await runFiles.saveReply(manifest.run, sampleKey(uuid), exampleReply(turn, null));
    }
  }
  const plan = planIn(home, 'new', 'another');
  const kept = ['a', 'b', 'c'].map((uuid) => sampleKey(uuid));
  const from = new RunFolder(home, manifest.run);
  const fork = { from, kept, ended: [sampleKey('b')], fromTurn: 3 };
  const estimate = await runEstimateText({ ...plan, fork }, home);
  expect(estimate).toMatch(/^2 of 3 questions/);
  expect(estimate).toMatch(/model calls +2 +8 +36\n/);
});

it('counts of a run that goes on no turn that is stored', async () => {
  const { home, manifest, runFiles } = runInFolder(
    lines,
    () => planIn('', 'new', 'begun').manifest,
  );
  await runFiles.saveReply(manifest.run, sampleKey('a'), exampleReply(1, null));
  const estimate = await runEstimateText(planIn(home, 'continued', 'begun'), home);
  expect(estimate).toMatch(/model calls +8 +17 +59\n/);
});

it('says that judges come on top', async () => {
  const home = newHome();
  const plan = planIn(home, 'new', 'judged');
  const { config } = plan.manifest;
  const judging = { models: [config.model], combination: 'majority', tries: 3 } as const;
  const judged = { ...plan, manifest: { ...plan.manifest, config: { ...config, judging } } };
  expect(await runEstimateText(judged, home)).toMatch(/\nnot counted above: .*a-model.*up to 3/);
  expect(await runEstimateText(plan, home)).not.toContain('not counted');
});
