import { expect, it } from 'vitest';
import { probedModels } from '../../../domain/runs/probe-requests.js';
import { addProbes, amountOfProbes, noProbes, probesSchema } from '../../../domain/runs/probes.js';
import { runIdSchema } from '../../../domain/ids.js';
import { judgingConfigSchema } from '../../../domain/scoring/judging/judging-config.js';
import { exampleManifest } from '../../support/runs/example-manifest.js';

const { config } = exampleManifest();
const { model } = config;
const judging = judgingConfigSchema.parse({
  ...{ combination: 'majority', tries: 1 },
  models: [model, { ...model, name: 'judge' }, { ...model, name: 'judge', maxTokens: 9000 }],
});
const names = (changes: Partial<typeof config>): readonly string[] =>
  probedModels({ ...config, ...changes }).map(({ name }) => name);

it('probes the model of a run and its judges, those alike once', () => {
  expect(names({})).toEqual(['a-model']);
  expect(names({ judging })).toEqual(['a-model', 'judge']);
});

it('probes what differs in its settings or its address', () => {
  const elsewhere = { ...judging, models: [{ ...model, baseUrl: 'http://127.0.0.1:2/v1' }] };
  expect(names({ judging: elsewhere })).toEqual(['a-model', 'a-model']);
  const cooler = { ...judging, models: [{ ...model, temperature: 0 }] };
  expect(names({ judging: cooler })).toEqual(['a-model', 'a-model']);
});

it('probes nothing for a run that repeats another, and no model that the method does not ask', () => {
  expect(names({ judging, replay: runIdSchema.parse('another') })).toEqual([]);
  expect(names({ method: 'two_stage_graph_rag' })).toEqual([]);
});

it('adds up what probes have cost, and keeps an unknown price unknown', () => {
  const one = { calls: 1, promptTokens: 10, completionTokens: 2, costUsd: 0.5 };
  const two = addProbes(addProbes(noProbes, one), one);
  expect(two).toEqual({ calls: 2, promptTokens: 20, completionTokens: 4, costUsd: 1 });
  expect(amountOfProbes(two)).toEqual({ usd: 1, tokens: 24 });
  const unpriced = addProbes(two, { ...one, costUsd: null });
  expect(unpriced.costUsd).toBeNull();
  expect(amountOfProbes(unpriced)).toEqual({ usd: 0, tokens: 36 });
  expect(probesSchema.parse(JSON.parse(JSON.stringify(unpriced)))).toEqual(unpriced);
});
