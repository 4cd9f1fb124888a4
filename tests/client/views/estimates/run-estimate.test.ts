import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { RunPlan } from '../../../../client/runs/prepare-run.js';
import { RunFolder } from '../../../../client/runs/run-folder.js';
import {
  estimateNotes,
  estimateTable,
  runForecast,
} from '../../../../client/views/estimates/run-estimate.js';
import { estimateOf, type EstimateReport } from '../../../../client/runs/estimate-run.js';
import { noCap } from '../../../../domain/budget/amount.js';
import { runIdSchema } from '../../../../domain/ids.js';
import type { CaseEstimate } from '../../../../domain/runs/run-estimate.js';
import { resultsFile } from '../../../../domain/runs/run-manifest.js';
import { datasetItemSchema } from '../../../../domain/scoring/dataset-item.js';
import { sectionText } from '../../../support/commands/section-text.js';
import { newHome } from '../../../support/command-line.js';
import { exampleManifest } from '../../../support/runs/example-manifest.js';
import { exampleEnd, exampleReply, sampleKey } from '../../../support/runs/example-records.js';
import { runInFolder } from '../../../support/runs/run-in-folder.js';

const forecastText = async (plan: RunPlan, home: string): Promise<string> =>
  sectionText(...runForecast(plan, await estimateOf(plan, home)));

const each = (factor: number): CaseEstimate => ({
  calls: 100 * factor,
  promptTokens: 1_000_000 * factor,
  completionTokens: 20_000 * factor,
  usd: 2 * factor,
  ms: 60_000 * factor,
});

const complete: EstimateReport = {
  estimate: { low: each(1), likely: each(2), high: each(5) },
  basis: { kind: 'earlier', runs: 1, questions: 40, ofSame: false },
  left: 10,
  samples: 10,
  concurrency: 8,
  method: 'hybrid_react',
  model: 'a-model',
  budget: noCap,
  cache: null,
};
const unknown = (known: CaseEstimate): CaseEstimate => ({ ...known, usd: null, ms: null });
const { low, likely, high } = complete.estimate;
const incomplete: EstimateReport = {
  ...complete,
  basis: { kind: 'usual', runs: 0, elsewhere: 0 },
  estimate: { low: unknown(low), likely: unknown(likely), high: unknown(high) },
};

it('has a row for each known figure, and a sentence for each unknown one', () => {
  const { heads, rows } = estimateTable('all', complete);
  expect([heads, ...rows]).toEqual([
    ['all', 'low', 'likely', 'high'],
    ['model calls', '100', '200', '500'],
    ['prompt tokens', '1.0M', '2.0M', '5.0M'],
    ['completion tokens', '20k', '40k', '100k'],
    ['cost', '$2.00', '$4.00', '$10.00'],
    ['time', '60 s', '2 min', '5 min'],
  ]);
  expect(estimateNotes(complete, '(remedy)').join('\n')).toMatch(/40 questions of 1 earlier run/);
  const cached = { ...complete, cache: { share: 0.25, savedUsd: 1.5 } };
  expect(estimateNotes(cached, '(remedy)').join('\n')).toMatch(/25 %, which saves \$1\.50/);
  expect(estimateTable('', incomplete).rows).toHaveLength(3);
  expect(estimateNotes(incomplete, '(remedy)')).toMatchObject([
    expect.stringMatching(/no earlier run of hybrid_react with a-model/),
    'the price of a-model is unknown (remedy)',
    expect.stringMatching(/the time is unknown/),
  ]);
});

it.each([
  [{ usd: 1.5, tokens: null }, /too small: \$1\.50 is left .* low estimate is \$2\.00/],
  [{ usd: 3, tokens: null }, /may be too small: \$3\.00 is left .* likely estimate is \$4\.00/],
  [{ usd: null, tokens: 5000 }, /too small: 5,000 tokens is left .* 1\.0M tokens/],
  [{ usd: 4, tokens: 9_000_000 }, null],
])('says of a budget of %j whether it will do', (budget, expected) => {
  const [, warning] = runForecast(planIn('', 'new', 'a'), { ...complete, budget });
  expect(warning?.tone).toBe(expected === null ? undefined : 'warning');
  if (expected !== null) expect(warning?.words.join()).toMatch(expected);
});

const lines = ['a', 'b', 'c'].map((uuid) => ({ uuid, question: 'How many?' }));

function planIn(home: string, kind: RunPlan['kind'], run: string): RunPlan {
  const example = exampleManifest();
  const id = runIdSchema.parse(run);
  return {
    kind,
    folder: new RunFolder(home, id),
    manifest: { ...example, run: id, dataset: { ...example.dataset, items: lines.length } },
    items: lines.map((line) => datasetItemSchema.parse(line)),
    schemaOf: () => null,
    text: '',
    fork: null,
    notes: [],
  };
}

/** A question of five calls, each of 5,000 tokens and ten seconds. */
function resultOf(uuid: string): string {
  const { result } = exampleEnd(sampleKey(uuid));
  const usage = { ...result.usage, promptTokens: 25_000, completionTokens: 500, calls: 5 };
  const endedAt = '2026-01-01T00:00:10.000Z';
  return `${JSON.stringify({ ...result, turns: 5, usage, endedAt })}\n`;
}

it('uses typical figures if there is no earlier run of the method and model', async () => {
  const home = newHome();
  const estimate = await forecastText(planIn(home, 'new', 'first'), home);
  expect(estimate).toMatch(/^3 questions, hybrid_react with a-model, at most 20 at once\n/);
  expect(estimate).toMatch(/model calls +9 +18 +60\n/);
  expect(estimate).toMatch(/no earlier run/);
});

it('uses earlier runs of the same method and model, for the remaining questions', async () => {
  const { manifest } = planIn('', 'new', 'earlier');
  const { home, folder } = runInFolder(lines, () => manifest);
  const ended = (...uuids: readonly string[]): void =>
    writeFileSync(join(folder, resultsFile), uuids.map(resultOf).join(''));
  ended('a', 'b');
  const estimate = await forecastText(planIn(home, 'new', 'another'), home);
  expect(estimate).toMatch(/model calls +9 +15 +60\n/);
  expect(estimate).toMatch(/time +6 s +10 s/);
  expect(estimate).toMatch(
    /from 2 earlier answers to these questions in 1 run of hybrid_react with a-model; low and high are usual/,
  );
  const rest = planIn(home, 'continued', 'earlier');
  expect(await forecastText(rest, home)).toMatch(/^1 of 3 questions/);
  ended('a', 'b', 'c');
  expect(await forecastText(rest, home)).toBe('');
});

it('uses the latest questions of a large run alone', async () => {
  const { manifest } = planIn('', 'new', 'large');
  const { home, folder } = runInFolder(lines, () => ({
    ...manifest,
    dataset: { ...manifest.dataset, items: 100_000 },
  }));
  const results = Array.from({ length: 6_000 }, (_, index) => resultOf(`q${index}`));
  writeFileSync(join(folder, resultsFile), results.join(''));
  const estimate = await forecastText(planIn(home, 'new', 'another'), home);
  expect(estimate).toMatch(/model calls +15 +15 +15\n/);
  expect(estimate).toMatch(/from [1-5],\d{3} questions of 1 earlier run/);
});

it('takes a model of the same name at another address for another model', async () => {
  const { manifest } = planIn('', 'new', 'simulated');
  const model = { ...manifest.config.model, baseUrl: 'http://127.0.0.1:2/v1' };
  const { home, folder } = runInFolder(lines, () => ({
    ...manifest,
    config: { ...manifest.config, model },
  }));
  writeFileSync(join(folder, resultsFile), ['a', 'b'].map(resultOf).join(''));
  const estimate = await forecastText(planIn(home, 'new', 'another'), home);
  expect(estimate).toMatch(/model calls +9 +18 +60\n/);
  expect(estimate).toMatch(/1 earlier run of hybrid_react with a-model asked another address/);
  expect(estimate).not.toContain('there is no earlier run');
});

it('prefers earlier answers to the same questions to those to others', async () => {
  const { manifest } = planIn('', 'new', 'same');
  const { home, folder } = runInFolder(lines, () => manifest);
  const many = Array.from({ length: 4 }, () => ['a', 'b', 'c'].map(resultOf)).flat();
  writeFileSync(join(folder, resultsFile), many.join(''));
  const others = runInFolder(
    [{ uuid: 'z', question: 'Why?' }],
    (each) => ({ ...each, run: runIdSchema.parse('others'), config: manifest.config }),
    home,
  );
  const other = resultOf('z').replace('"turns":5', '"turns":1');
  writeFileSync(join(others.folder, resultsFile), other.repeat(50));
  const estimate = await forecastText(planIn(home, 'new', 'another'), home);
  expect(estimate).toMatch(/model calls +15 +15 +15\n/);
  expect(estimate).toMatch(/from 12 earlier answers to these questions in 2 runs/);
  const strange = planIn(home, 'new', 'strange');
  const items = strange.items.map((item) => ({ ...item, question: 'Who?' }));
  expect(await forecastText({ ...strange, items }, home)).toMatch(
    /from 62 questions of 2 earlier runs/,
  );
});

it('counts only the new turns of a fork', async () => {
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
  const estimate = await forecastText({ ...plan, fork }, home);
  expect(estimate).toMatch(/^2 of 3 questions/);
  expect(estimate).toMatch(/model calls +2 +8 +36\n/);
});

it('does not count the stored turns of a continued run', async () => {
  const { home, manifest, runFiles } = runInFolder(
    lines,
    () => planIn('', 'new', 'begun').manifest,
  );
  await runFiles.saveReply(manifest.run, sampleKey('a'), exampleReply(1, null));
  const estimate = await forecastText(planIn(home, 'continued', 'begun'), home);
  expect(estimate).toMatch(/model calls +8 +17 +59\n/);
});

it('mentions the calls of judges', async () => {
  const home = newHome();
  const plan = planIn(home, 'new', 'judged');
  const { config } = plan.manifest;
  const judging = { models: [config.model], combination: 'majority', tries: 3 } as const;
  const long = { category: 'conclusive', referenceAnswer: 'That.' } as const;
  const items = plan.items.map((item, index) => (index === 0 ? { ...item, ...long } : item));
  const judged = { ...plan, items, manifest: { ...plan.manifest, config: { ...config, judging } } };
  expect(await forecastText(judged, home)).toMatch(
    /\nnote: not included: .*a-model for each of up to 1 answers that need a judge.*up to 3/,
  );
  expect(await forecastText(plan, home)).not.toContain('not counted');
});
