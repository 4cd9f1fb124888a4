import { describe, expect, it } from 'vitest';
import { runIdSchema } from '../../../domain/ids.js';
import { modelConfigSchema } from '../../../domain/models/model-settings.js';
import {
  defaultRunConfig,
  defaultRunId,
  fixedConfig,
  runConfigSchema,
  questionWindow,
  tuned,
  tunedConfig,
  tuningProblem,
  type RunConfig,
  type Tuning,
} from '../../../domain/runs/run-config.js';
import { emptyRun } from '../../../domain/runs/run-state.js';
import { exampleManifest } from '../../support/runs/example-manifest.js';

const shortModel = {
  name: 'gpt-4o-mini',
  baseUrl: 'https://api.openai.com/v1',
  temperature: 0.7,
  topP: 0.95,
  maxTokens: 1500,
  timeoutMs: 300_000,
};

describe('modelConfigSchema', () => {
  it('fills in the defaults', () => {
    expect(modelConfigSchema.parse(shortModel)).toEqual({
      ...shortModel,
      api: 'chat',
      seed: null,
      structuredReplies: false,
      reasoningEffort: null,
      systemRole: 'system',
      tokenLimitField: null,
      extraBody: {},
      stream: false,
      cache: false,
      price: null,
    });
  });
});

describe('fixedConfig', () => {
  const config = runConfigSchema.parse({ ...defaultRunConfig, model: shortModel });
  const fixedWith = (model: object): unknown =>
    fixedConfig({ ...config, model: { ...config.model, ...model } });

  it.each<[object]>([
    [{ seed: 1 }],
    [{ temperature: null }],
    [{ reasoningEffort: 'low' }],
    [{ systemRole: 'user' }],
    [{ extraBody: { top_k: [1] } }],
  ])('holds %o', (model) => expect(fixedWith(model)).not.toEqual(fixedConfig(config)));

  it.each<[object]>([
    [{ price: { input: 1, output: 1 } }],
    [{ cache: true }],
    [{ baseUrl: 'http://127.0.0.1:1' }],
    [{ tokenLimitField: 'max_tokens' }],
    [{ extraBody: {} }],
  ])('leaves out %o', (model) => expect(fixedWith(model)).toEqual(fixedConfig(config)));

  it('leaves out the order of calls, which changes no answer', () => {
    expect(fixedConfig({ ...config, warmFirst: false })).toEqual(fixedConfig(config));
  });
});

describe('defaultRunId', () => {
  const config = runConfigSchema.parse({ ...defaultRunConfig, model: shortModel });
  const asked = { dataset: '../data/dev.jsonl', store: 'papers', config };
  const idWith = (changes: Partial<RunConfig>, others: object = {}): string =>
    defaultRunId({ ...asked, ...others, config: { ...config, ...changes } });

  it('names what is asked', () => {
    expect(defaultRunId(asked)).toMatch(/^dev-hybrid_react-gpt-4o-mini-papers-[0-9a-f]{8}$/);
  });

  it.each<[string, Partial<RunConfig>, object?]>([
    ['another method', { method: 'neusym_rag' }],
    ['another model', { model: { ...config.model, name: 'gpt-4o' } }],
    ['a setting of the model', { model: { ...config.model, temperature: 0 } }],
    ['more turns', { maxTurns: 5 }],
    ['a window', { windowSize: 3 }],
    ['epochs', { epochs: 3 }],
    ['a plugin', { plugins: [{ path: 'a.ts', sha256: 'a'.repeat(64) } as never] }],
    ['another store', {}, { store: 'others' }],
    ['no store', {}, { store: undefined }],
    ['another dataset of the same name', {}, { dataset: '../other/dev.jsonl' }],
    ['a part of the questions', {}, { part: { kind: 'first', count: 5 } }],
    ['questions of a script', {}, { questions: '{}' }],
  ])('is another one with %s', (_, changes, others) => {
    expect(idWith(changes, others)).not.toBe(defaultRunId(asked));
  });

  it.each<[string, Partial<RunConfig>]>([
    ['limits', { concurrency: 3, budget: { usd: 1, tokens: null }, modelAttempts: 9 }],
    [
      'a judge',
      { judging: { models: [config.model], combination: 'majority', tries: 3 } as never },
    ],
    ['another address', { model: { ...config.model, baseUrl: 'http://localhost/v1' } }],
    ['new code of a plugin', {}],
  ])('is the same with %s', (_, changes) => {
    expect(idWith(changes)).toBe(defaultRunId(asked));
  });

  it('is an id, whatever the names', () => {
    for (const dataset of [
      '../.hidden',
      'a/' + 'long'.repeat(50) + '.jsonl',
      '../é ü.jsonl',
      '..',
    ]) {
      expect(
        runIdSchema.safeParse(defaultRunId({ ...asked, dataset })).error,
        dataset,
      ).toBeUndefined();
    }
  });

  it('is that of a replay, whatever it changes', () => {
    expect(idWith({ replay: runIdSchema.parse('origin'), windowSize: 2 })).toBe('origin-replay');
  });
});

const now = Date.parse('2026-06-01T00:00:00Z');

describe('a tuning', () => {
  it.each<[unknown, RegExp | null]>([
    [{ concurrency: 1 }, null],
    [{ concurrency: 'auto' }, null],
    [{ budgetUsd: null, budgetTokens: 1000 }, null],
    [{ deadline: '2026-06-01T00:00:01Z' }, null],
    [{ deadline: null }, null],
    [{}, /nothing/],
    [undefined, /./],
    [{ concurrency: 0 }, /concurrency: Too small/],
    [{ concurrency: 'car' }, /concurrency: is auto, or 1 to 2000/],
    [{ concurrency: 1.5 }, /concurrency/],
    [{ budgetUsd: 0 }, /budgetUsd/],
    [{ budgetUsd: -1 }, /budgetUsd/],
    [{ budgetTokens: 0.5 }, /budgetTokens/],
    [{ deadline: 'tomorrow' }, /deadline/],
    [{ deadline: '2026-06-01T00:00:00Z' }, /2026-06-01T00:00:00Z is past/],
  ])('%j has the problem %s', (tuning, problem) => {
    const found = tuningProblem(tuning, now);
    if (problem === null) expect(found).toBeNull();
    else expect(found).toMatch(problem);
  });

  it('leaves what it does not name, and lifts what it names as null, in a run and in its configuration', () => {
    const { config } = exampleManifest();
    const all: Tuning = {
      concurrency: 7,
      budgetUsd: 2,
      budgetTokens: 9,
      deadline: '2026-06-02T00:00:00.000Z',
    };
    const state = tuned(emptyRun, all);
    expect(state).toMatchObject({
      concurrency: 7,
      ledger: { cap: { usd: 2, tokens: 9 } },
      deadline: now + 86_400_000,
    });
    expect(tunedConfig(config, all)).toMatchObject({
      concurrency: 7,
      budget: { usd: 2, tokens: 9 },
      deadline: all.deadline,
    });
    expect(tuned(state, { budgetUsd: null })).toEqual({
      ...state,
      ledger: { ...state.ledger, cap: { usd: null, tokens: 9 } },
    });
    expect(tuned(state, { deadline: null })).toEqual({ ...state, deadline: null });
    expect(tunedConfig(config, {})).toEqual(config);
  });

  it('to auto opens the window wide, and stays auto in the configuration', () => {
    const { concurrency } = tuned(emptyRun, { concurrency: 'auto' });
    expect(concurrency).toBe(questionWindow('auto'));
    const { config } = exampleManifest();
    expect(tunedConfig(config, { concurrency: 'auto' })).toMatchObject({ concurrency: 'auto' });
  });
});
