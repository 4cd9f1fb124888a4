import { modelConfigSchema } from '../../../domain/models/model-settings.js';
import { describe, expect, it } from 'vitest';
import { defaultRunConfig, fixedConfig, runConfigSchema } from '../../../domain/runs/run-config.js';
import { addEnded, runTotalsSchema } from '../../../domain/runs/run-totals.js';
import { usageSchema } from '../../../domain/models/usage.js';

const oldModel = {
  name: 'gpt-4o-mini',
  baseUrl: 'https://api.openai.com/v1',
  temperature: 0.7,
  topP: 0.95,
  maxTokens: 1500,
  timeoutMs: 300_000,
};

describe('files of earlier versions', () => {
  it('name a model in fewer words, and mean the defaults', () => {
    expect(modelConfigSchema.parse(oldModel)).toEqual({
      ...oldModel,
      seed: null,
      structuredReplies: false,
      reasoningEffort: null,
      systemRole: 'system',
      tokenLimitField: null,
      extraBody: {},
      cache: false,
      price: null,
    });
  });

  it('count fewer things', () => {
    const usage = { promptTokens: 1, completionTokens: 2, cachedTokens: 0, calls: 3, retries: 0 };
    expect(usageSchema.parse(usage)).toEqual({ ...usage, reasoningTokens: 0, cacheHits: 0 });
    const totals = { outcomes: {}, turns: 0, usage, scores: { total: 0, scored: 0, unscored: 0 } };
    expect(runTotalsSchema.parse(totals).cost).toEqual({ usd: 0, unpricedCalls: 0 });
    const ended = { outcome: 'answered', turns: 1, usage, score: null } as const;
    expect(addEnded(totals, ended)).toMatchObject({
      usage: { promptTokens: 2, reasoningTokens: 0, cacheHits: 0 },
      cost: { usd: 0, unpricedCalls: 0 },
    });
  });
});

describe('fixedConfig', () => {
  const config = runConfigSchema.parse({ ...defaultRunConfig, model: oldModel });
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
});
