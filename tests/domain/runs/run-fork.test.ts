import { storeOf } from '../../../domain/agent/question-context.js';
import { describe, expect, it } from 'vitest';
import {
  forkName,
  keptSamples,
  runDifferences,
  type RunAndItems,
} from '../../../domain/runs/run-fork.js';
import { versionWith } from '../../../domain/models/prompt-file.js';
import { runConfigSchema } from '../../../domain/runs/run-config.js';
import type { RunManifest } from '../../../domain/runs/run-manifest.js';
import { datasetItemSchema } from '../../../domain/scoring/dataset-item.js';
import { exampleManifest } from '../../support/runs/example-manifest.js';

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
    'dataset: was questions.jsonl d1, is questions.jsonl other',
    'prompts: was 1, is 2',
    'model: name: was a-model, is another-model',
    'maxTurns: was 20, is 7',
  ]);
});

it('says whose texts are the user’s own, and that they are others', () => {
  const before = exampleManifest();
  const told = (prompts: RunManifest['config']['prompts'], judged = prompts): RunManifest => ({
    ...before,
    versions: {
      ...before.versions,
      prompts: versionWith('1', prompts),
      judgePrompts: versionWith('1', judged),
    },
    config: {
      ...before.config,
      prompts,
      judging: { models: [before.config.model], combination: 'mean', tries: 3, prompts: judged },
    },
  });
  expect(runDifferences(told({}), told({ hybrid_react: 'Answer.' }, {}))).toEqual([
    expect.stringMatching(/^prompts: was 1, is 1-[0-9a-f]{8}$/),
    'changed texts: was none, is hybrid_react',
  ]);
  expect(runDifferences(told({ a: '1' }, {}), told({ a: '2' }, {}))).toHaveLength(1);
  expect(runDifferences(told({}), told({}, { eval_m3sciqa: 'Select.' }))).toEqual([
    expect.stringMatching(/^prompts of judges: was 1, is 1-[0-9a-f]{8}$/),
  ]);
  expect(told({ a: '1' }).config).toEqual(runConfigSchema.parse(told({ a: '1' }).config));
});

it('lists a program of a scorer whose file has changed, and keeps the conversations', () => {
  const scoredBy = (sha256: string): RunManifest => ({
    ...exampleManifest(),
    scorerFiles: { 'mine.py': sha256.repeat(64), [sha256]: 'only here' },
  });
  const [before, now] = [scoredBy('a'), scoredBy('b')];
  expect(runDifferences(before, now)).toEqual([
    'code of scorer program mine.py: was aaaaaaaa, is bbbbbbbb',
  ]);
  const items = [datasetItemSchema.parse({ uuid: 'q1', question: 'How many?' })];
  expect(keptSamples({ manifest: before, items }, { manifest: now, items })).toHaveLength(1);
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
    'store: was papers s1, is papers anew',
    'price: input: was 2, is 3',
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
  ).toEqual(['judging: models: 1: extraBody: was {}, is {top_k:1}']);
});

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
    ['store', (one) => ({ ...one, store: { ...storeOf(one), fingerprint: 'other' } })],
    ['configuration', (one) => ({ ...one, config: { ...one.config, windowSize: 1 } })],
  ])('is nothing of a run with another %s', (_, change) => {
    expect(names(runOf([a]), runOf([a], change))).toEqual([]);
  });
});

describe('a plugin', () => {
  const scorers = {
    path: 'a/mine.ts',
    sha256: '1'.repeat(64),
    scorers: ['s'],
    actions: [],
    methods: {},
  };
  const actions = { ...scorers, path: 'acts.ts', actions: ['Act'] };
  const withPlugins = (...plugins: RunManifest['config']['plugins']): RunManifest => ({
    ...exampleManifest(),
    config: { ...exampleManifest().config, plugins },
  });

  it('keeps a run from being continued when it has changed, is missing or is new', () => {
    const before = withPlugins(scorers, actions);
    const changed = { ...scorers, path: 'b/mine.ts', sha256: '2'.repeat(64) };
    const added = { ...scorers, path: 'more.ts' };
    expect(runDifferences(before, withPlugins(changed, added))).toEqual([
      'code of plugin acts.ts: was 11111111, is none',
      'code of plugin b/mine.ts: was 11111111, is 22222222',
      'code of plugin more.ts: was none, is 11111111',
    ]);
    expect(runDifferences(before, withPlugins({ ...scorers, path: 'c/mine.ts' }, actions))).toEqual(
      [],
    );
  });

  it('lets a fork keep its answers when it has scorers only', () => {
    const items = [datasetItemSchema.parse({ uuid: 'a', question: 'Why?' })];
    const of = (...plugins: RunManifest['config']['plugins']): RunAndItems => ({
      manifest: withPlugins(...plugins),
      items,
    });
    expect(keptSamples(of(scorers), of({ ...scorers, sha256: '2' }))).toHaveLength(1);
    expect(keptSamples(of(actions), of({ ...actions, sha256: '2' }))).toEqual([]);
  });
});

it('names forks by number, and within the length of an id', () => {
  expect(forkName('airqa-2026-11-21')).toBe('airqa-2026-11-21-fork-1');
  expect(forkName('airqa-2026-11-21-fork-9')).toBe('airqa-2026-11-21-fork-10');
  expect(forkName('x'.repeat(80))).toHaveLength(80);
});
