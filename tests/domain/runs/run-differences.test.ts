import { expect, it } from 'vitest';
import { runDifferences } from '../../../domain/runs/run-differences.js';
import { exampleManifest } from '../../support/example-manifest.js';

it('finds no difference where only addresses, time-outs and concurrency changed', () => {
  const before = exampleManifest();
  const { config } = before;
  const now = {
    ...before,
    config: {
      ...config,
      concurrency: 99,
      modelAttempts: 1,
      model: { ...config.model, baseUrl: 'http://127.0.0.1:9/v1', timeoutMs: 5 },
    },
  };
  expect(runDifferences(before, now)).toEqual([]);
});

it('lists everything that can change an answer', () => {
  const before = exampleManifest();
  const now = {
    ...before,
    dataset: { ...before.dataset, fingerprint: 'other' },
    versions: { ...before.versions, prompts: '2' },
    config: {
      ...before.config,
      maxTurns: 7,
      model: { ...before.config.model, name: 'another-model' },
    },
  };
  expect(runDifferences(before, now)).toEqual([
    'dataset: was "d1", is "other"',
    'prompts: was "1", is "2"',
    'configuration: model: name: was "a-model", is "another-model"',
    'configuration: maxTurns: was 20, is 7',
  ]);
});

it('lists a store that was made anew, and a price that is another', () => {
  const before = exampleManifest();
  const { config, store } = before;
  const at = (input: number | null, fingerprint = store.fingerprint) => ({
    ...before,
    store: { ...store, fingerprint },
    config: {
      ...config,
      model: { ...config.model, price: input === null ? null : { input, output: 8 } },
    },
  });
  expect(runDifferences(at(2), at(3, 'anew'))).toEqual([
    `contents of the store: was "${store.fingerprint}", is "anew"`,
    expect.stringMatching(/^price: .*was.*2.*is.*3/),
  ]);
  // Nothing was counted at a price that was not known.
  expect(runDifferences(at(null), at(3))).toEqual([]);
});

it('names what differs of which judge', () => {
  const before = exampleManifest();
  const { config } = before;
  const judgedBy = (...models: (typeof config.model)[]) => ({
    ...before,
    config: { ...config, judging: { models, combination: 'mean', tries: 3 } as const },
  });
  const { model } = config;
  expect(
    runDifferences(judgedBy(model, model), judgedBy(model, { ...model, extraBody: { top_k: 1 } })),
  ).toEqual(['configuration: judging: models: 1: extraBody: was "{}", is "{\\"top_k\\":1}"']);
});
