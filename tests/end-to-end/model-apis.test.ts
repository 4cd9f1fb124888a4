import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiFacts, modelApis, type ModelApi } from '../../domain/model-api.js';
import { runManifestSchema } from '../../domain/runs/run-manifest.js';
import { startSimulatedModel, type SimulatedModel } from '../../simulator/simulated-model.js';
import {
  checkout,
  jsonLines,
  newHome,
  turnwise,
  type Running,
  untilReady,
} from '../support/command-line.js';

const home = newHome();
const examples = join(checkout, 'examples');
/** One for each API, so that each has calls of its own. */
const models = new Map<ModelApi, SimulatedModel>();
let settings: Record<string, string> = { TURNWISE_HOME: home };
let up: Running;

/** Chat completions and the Responses API have one address: their runs get a home of settings each. */
const settingsFor = (api: ModelApi): Record<string, string> => {
  const url = models.get(api)?.urls[api] ?? '';
  return { ...settings, [apiFacts[api].addressVariable]: url };
};

beforeAll(async () => {
  for (const [index, api] of modelApis.entries()) {
    const faults = { '429': 0.08, '500': 0.05, '503': 0.08, 'malformed-json': 0.04 };
    const model = await startSimulatedModel({
      script: join(examples, 'replies.json'),
      seed: index,
      faults,
      retryAfterMs: 20,
    });
    models.set(api, model);
  }
  settings = {
    ...settings,
    ANTHROPIC_API_KEY: 'sk-ant-of-the-worker',
    GEMINI_API_KEY: 'AIza-of-the-worker',
  };
  for (const api of ['anthropic', 'gemini'] as const) settings = settingsFor(api);
  up = turnwise(['up'], settings);
  await untilReady(up);
  writeFileSync(join(home, 'turnwise.yaml'), 'prices:\n  priced: { input: 1, output: 2 }\n');
  const papers = join(examples, 'papers');
  const ingested = await turnwise(['store', 'add', papers, '--store', 'papers'], settings).finished;
  expect(ingested, ingested.stderr).toMatchObject({ status: 0 });
});

afterAll(async () => {
  up.child.kill('SIGINT');
  await up.finished;
  for (const model of models.values()) await model.close();
});

it.each(
  modelApis.flatMap(
    (api) =>
      [
        [api, 'markdown'],
        [api, 'tools'],
      ] as const,
  ),
)('asks every question by %s with actions as %s, faults between', async (api, format) => {
  const id = `${api}-${format}`;
  const before = models.get(api)?.stats();
  const args = [
    ...['run', join(examples, 'questions.jsonl'), '--store', 'papers', '--run', id],
    ...[
      '--model',
      'priced',
      '--api',
      api,
      '--action-format',
      format,
      '--budget-usd',
      '5',
      '--limit',
      '6',
    ],
  ];
  const done = await turnwise(args, settingsFor(api)).finished;
  expect(done.status, done.stderr).toBe(0);
  expect(done.stdout).toContain('6 of 6 questions answered');

  const manifest = runManifestSchema.parse(
    JSON.parse(readFileSync(join(home, 'runs', id, 'manifest.json'), 'utf8')),
  );
  expect(manifest.config.model).toMatchObject({ api, baseUrl: models.get(api)?.urls[api] });
  expect(manifest.meanScores).toEqual({ unit: 1 });

  // What the run and its probe count is what the provider has billed. Faults in a row make the worker send more probes.
  const after = models.get(api)?.stats();
  const { totals, probes } = manifest;
  const sent = (after?.probes ?? 0) - (before?.probes ?? 0);
  for (const kind of ['promptTokens', 'completionTokens'] as const) {
    const billed = (after?.[kind] ?? 0) - (before?.[kind] ?? 0) - (totals?.usage[kind] ?? 0);
    const ofOne = probes[kind] / probes.calls;
    expect(billed).toBeGreaterThanOrEqual(probes[kind]);
    // A probe that meets a fault itself is not billed.
    expect(billed).toBeLessThanOrEqual(sent * ofOne);
    expect(billed % ofOne).toBe(0);
  }
  expect((after?.refused ?? 0) + (after?.failed ?? 0)).toBeGreaterThan(0);

  // No key is written anywhere.
  const written = jsonLines(join(home, 'runs', id, 'results.jsonl'));
  expect(JSON.stringify([written, manifest, done])).not.toMatch(/of-the-worker/);
});

it('says in doctor which endpoints the worker can ask, and not the command', async () => {
  const { stdout } = await turnwise(['doctor'], settingsFor('chat')).finished;
  expect(stdout).toMatch(/✓ Gemini +http\S+ answers the worker \(HTTP 200\)/);
  expect(stdout).toMatch(/✓ Anthropic +http\S+ answers the worker \(HTTP 200\)/);
  expect(stdout).not.toMatch(/ Model /);
  const elsewhere = { ...settingsFor('chat'), TURNWISE_HOME: newHome() };
  const unserved = (await turnwise(['doctor'], elsewhere).finished).stdout;
  expect(unserved).toMatch(/✓ Model +http\S+ answers \(HTTP 200\)/);
});

it('asks in no API that has neither key nor address, and says what there is', async () => {
  const args = ['ask', 'What?', '--store', 'papers', '--model', 'priced'];
  const refused = await turnwise(args, settings).finished;
  expect(refused.status).toBe(2);
  expect(refused.stderr).toMatch(
    /set OPENAI_API_KEY, or OPENAI_BASE_URL .* choose --api anthropic/,
  );
  const seeded = await turnwise([...args, '--api', 'anthropic', '--model-seed', '1'], settings)
    .finished;
  expect(seeded.status).toBe(2);
  expect(seeded.stderr).toContain('--api anthropic takes no --model-seed');
});
