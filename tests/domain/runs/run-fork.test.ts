import { describe, expect, it } from 'vitest';
import { datasetItemSchema } from '../../../domain/questions/dataset-item.js';
import { forkName, keptSamples, type RunAndItems } from '../../../domain/runs/run-fork.js';
import type { RunManifest } from '../../../domain/runs/run-manifest.js';
import { exampleManifest } from '../../support/example-manifest.js';

const runOf = (
  items: readonly object[],
  change: (manifest: RunManifest) => RunManifest = (manifest) => manifest,
): RunAndItems => ({
  manifest: change(exampleManifest()),
  items: items.map((item) => datasetItemSchema.parse(item)),
});
const a = { uuid: 'a', question: 'How many?' };
const b = { uuid: 'b', question: 'Which?' };
const names = (before: RunAndItems, now: RunAndItems): readonly string[] =>
  keptSamples(before, now).map(({ uuid, epoch }) => `${uuid} ${epoch}`);

describe('what a fork keeps', () => {
  it('is every question that is asked as it was, whatever its gold, its tags and its neighbours', () => {
    const before = runOf([a, b, { uuid: 'c', question: 'Who?' }]);
    const golden = {
      question: 'How many?',
      tags: ['new'],
      uuid: 'a',
      evaluator: { eval_func: 'eval_string_exact_match', eval_kwargs: { gold: '3' } },
    };
    const now = runOf([golden, { ...b, question: 'Which one?' }, { uuid: 'd', question: 'Who?' }]);
    expect(names(before, now)).toEqual(['a 1']);
  });

  it('is no question with another field that a prompt may show', () => {
    expect(names(runOf([a]), runOf([{ ...a, anchor_pdf: ['p'] }]))).toEqual([]);
    expect(names(runOf([a]), runOf([{ ...a, hint: 'x' }]))).toEqual([]);
  });

  it('is what two runs have of the epochs, and the same at another price', () => {
    const ask =
      (epochs: number, input: number) =>
      (manifest: RunManifest): RunManifest => ({
        ...manifest,
        config: {
          ...manifest.config,
          epochs,
          model: {
            ...manifest.config.model,
            price: { input, output: 1 },
          },
        },
      });
    expect(names(runOf([a], ask(3, 1)), runOf([a], ask(2, 9)))).toEqual(['a 1', 'a 2']);
  });

  it.each<[string, (manifest: RunManifest) => RunManifest]>([
    ['prompts', (one) => ({ ...one, versions: { ...one.versions, prompts: 'other' } })],
    ['store', (one) => ({ ...one, store: { ...one.store, fingerprint: 'other' } })],
    ['configuration', (one) => ({ ...one, config: { ...one.config, windowSize: 1 } })],
  ])('is nothing of a run with another %s', (_, change) => {
    expect(names(runOf([a]), runOf([a], change))).toEqual([]);
  });
});

it('names forks by number, and within the length of an id', () => {
  expect(forkName('airqa-2026-11-21')).toBe('airqa-2026-11-21-fork-1');
  expect(forkName('airqa-2026-11-21-fork-9')).toBe('airqa-2026-11-21-fork-10');
  expect(forkName('x'.repeat(80))).toHaveLength(80);
});
