import { describe, expect, it } from 'vitest';
import {
  matchModel,
  resolveSettings,
  listPrices,
  priceOf,
} from '../../../domain/models/known-models.js';
import type { ModelEntries, ModelEntry } from '../../../domain/models/model-settings.js';
import {
  addCost,
  costOfCall,
  costOfQuestion,
  costText,
  noCost,
} from '../../../domain/models/usage.js';
import { defaultRunConfig } from '../../../domain/runs/run-config.js';

const table = {
  'gpt-4o': 'four-o',
  'gpt-4o-mini': 'mini',
  'gpt-4o-2024-05-13': 'first edition',
  'o1*': 'reasoner',
  'o1-mini*': 'small reasoner',
  'acme/special': 'by maker',
  special: 'by any maker',
};

describe('matchModel', () => {
  it.each([
    ['gpt-4o', 'four-o'],
    ['GPT-4o', 'four-o'],
    ['gpt-4o-2024-08-06', 'four-o'],
    ['gpt-4o-latest', 'four-o'],
    ['gpt-4o-preview-04-17', 'four-o'],
    ['gpt-4o@20240806', 'four-o'],
    ['gpt-4o-0613', 'four-o'],
    ['openai/gpt-4o', 'four-o'],
    ['gpt-4o-2024-05-13', 'first edition'],
    ['gpt-4o-mini-2024-07-18', 'mini'],
    ['gpt-4o-audio-preview', undefined],
    ['gpt-4o-5', undefined],
    ['gpt-4o:free', undefined],
    ['gpt-4', undefined],
    ['o1-pro', 'reasoner'],
    ['o1-mini-2024-09-12', 'small reasoner'],
    ['acme/special', 'by maker'],
    ['other/special', 'by any maker'],
  ])('takes %s for %s', (name, expected) => expect(matchModel(table, name)).toBe(expected));
});

const resolve = (
  name: string,
  {
    asked = {},
    entries = {},
    strict = false,
  }: { asked?: ModelEntry; entries?: ModelEntries; strict?: boolean } = {},
) => resolveSettings(name, { asked, entries, strict, defaults: defaultRunConfig.model });

const settingsOf = (...args: Parameters<typeof resolve>) => {
  const resolved = resolve(...args);
  return resolved.kind === 'resolved' ? resolved.settings : resolved;
};

describe('resolveSettings', () => {
  it('gives a model nobody knows the defaults', () => {
    expect(settingsOf('some-model')).toEqual({
      api: 'chat',
      temperature: 0.7,
      topP: 0.95,
      maxTokens: 1500,
      seed: null,
      reasoningEffort: null,
      systemRole: 'system',
      tokenLimitField: null,
      structuredReplies: false,
      stream: false,
      extraBody: {},
    });
  });

  it.each<[string, object]>([
    ['o3-mini', { temperature: null, topP: null, tokenLimitField: 'max_completion_tokens' }],
    ['gpt-5-mini', { temperature: null, topP: null, maxTokens: 16_000 }],
    ['gpt-5.1', { temperature: 0.7, tokenLimitField: 'max_completion_tokens', maxTokens: 1500 }],
    ['o1-mini', { systemRole: 'user' }],
    ['openai/o4-mini', { temperature: null }],
    ['claude-sonnet-4-5-20250929', { temperature: 0.7, topP: null }],
    ['deepseek-ai/DeepSeek-R1', { temperature: 0.6, systemRole: 'user' }],
    ['deepseek-chat', { temperature: 0.7, systemRole: 'system' }],
    ['google/gemma-3-27b-it', { systemRole: 'merged' }],
  ])('knows what %s takes', (name, expected) => expect(settingsOf(name)).toMatchObject(expected));

  it('does to every deepseek what the reference does, when strict', () => {
    expect(settingsOf('deepseek-chat', { strict: true })).toMatchObject({
      temperature: 0.6,
      systemRole: 'user',
    });
  });

  it('prefers what was asked for, then the file, then what is known', () => {
    const entries = { 'o3*': { maxTokens: 9000, reasoningEffort: 'low', seed: 7 } } as const;
    expect(settingsOf('o3', { entries, asked: { maxTokens: 50 } })).toMatchObject({
      maxTokens: 50,
      reasoningEffort: 'low',
      seed: 7,
      temperature: null,
    });
  });

  it('refuses a flag that the model refuses, and names the setting', () => {
    expect(resolve('o3', { asked: { temperature: 0 } })).toEqual({
      kind: 'refused',
      setting: 'temperature',
    });
    expect(resolve('o1-mini', { asked: { reasoningEffort: 'low' } })).toMatchObject({
      setting: 'reasoningEffort',
    });
  });

  it('lets the file say that a model takes a setting after all', () => {
    const asked = { temperature: 0.2 };
    expect(settingsOf('o9', { entries: { 'o9*': { refuses: ['seed'] } }, asked })).toMatchObject({
      temperature: 0.2,
      seed: null,
    });
    expect(settingsOf('o3', { entries: { o3: { refuses: [] } }, asked })).toMatchObject(asked);
    expect(settingsOf('o3', { entries: { o3: { temperature: 1 } } })).toMatchObject({
      temperature: 1,
    });
  });
});

const openAi = 'https://api.openai.com/v1';

describe('costOfCall', () => {
  const price = { input: 2, output: 8, cachedInput: 0.5 };
  it.each([
    ['prompt and completion', { prompt: 1_000_000, completion: 500_000, cached: 0 }, 6],
    [
      'cached tokens at their own price',
      { prompt: 1_000_000, completion: 0, cached: 600_000 },
      1.1,
    ],
    ['no more cached tokens than there are', { prompt: 1000, completion: 0, cached: 2000 }, 0.0005],
  ])('counts %s', (_, tokens, usd) => expect(costOfCall(tokens, price)).toBeCloseTo(usd, 12));

  it('charges cached tokens in full where they have no price', () => {
    const tokens = { prompt: 1_000_000, completion: 0, cached: 1_000_000 };
    expect(costOfCall(tokens, { input: 2, output: 8 })).toBe(2);
  });

  it('does not know the cost of unknown tokens, or of an unknown price', () => {
    expect(costOfCall(null, price)).toBeNull();
    expect(costOfCall({ prompt: 1, completion: 1, cached: 0 }, null)).toBeNull();
  });
});

describe('priceOf', () => {
  it.each(['openai/gpt-5.6-sol', 'GPT-6-mini'])('knows it of %s, too', (name) => {
    const model = { name, baseUrl: openAi };
    const own = { [name]: { input: 2, output: 8 } };
    expect(priceOf(model, own)).toEqual({ input: 2, output: 8, cacheWrite: 2.5 });
  });

  it.each([
    'claude-sonnet-4-5',
    'anthropic/claude-sonnet-4-5',
    'us.anthropic.claude-sonnet-4-5-v1:0',
    'Claude-Sonnet-4-5',
  ])('knows what a cache write of %s costs, unless the user says it', (name) => {
    const model = { name, baseUrl: 'https://api.anthropic.com/v1' };
    const own = { input: 2, output: 8 };
    expect(priceOf(model, { [name]: own })).toEqual({
      ...own,
      ...{ cacheWrite: 2.5, cacheWriteHour: 4 },
    });
    const said = { ...own, cacheWrite: 2, cacheWriteHour: 2 };
    expect(priceOf(model, { [name]: said })).toEqual(said);
  });

  it.each([
    ['gpt-4o-mini', 0.15],
    ['gpt-3.5-turbo-16k', 3],
    ['gpt-3.5-turbo-instruct', 1.5],
    ['gpt-4-0613', 30],
    ['gpt-4-0125-preview', 10],
    ['openai/gpt-4.1-mini', 0.4],
    ['claude-sonnet-4-5-20250929', 3],
    ['claude-opus-4-20250514', 15],
    ['claude-opus-4-5', 5],
    ['gemini-2.5-flash-preview-09-2025', 0.3],
  ])('knows %s', (name, input) => {
    expect(priceOf({ name, baseUrl: openAi }, {})?.input).toBe(input);
  });

  it.each([
    'gpt-4o-audio-preview',
    'gpt-4o-mini-tts',
    'ft:gpt-4o-mini:acme',
    'llama-3',
    'simulated',
  ])('does not guess the price of %s', (name) =>
    expect(priceOf({ name, baseUrl: openAi }, {})).toBeNull(),
  );

  it.each([
    'http://127.0.0.1:8000/v1',
    'http://localhost:8000/v1',
    'http://vllm:8000/v1',
    'http://10.0.0.7/v1',
    'http://172.20.1.1/v1',
    'http://192.168.1.4:11434/v1',
    'http://[::1]:8000/v1',
    'http://box.local/v1',
  ])('knows no price at %s unless the user names one, which may be 0', (baseUrl) => {
    expect(priceOf({ name: 'gpt-4o-mini', baseUrl }, {})).toBeNull();
    const free = { input: 0, output: 0 };
    expect(priceOf({ name: 'gpt-4o-mini', baseUrl }, { 'gpt-4o*': free })).toEqual(free);
  });

  it('prefers the price of the user', () => {
    const own = { 'gpt-4o-mini': { input: 1, output: 2 } };
    expect(priceOf({ name: 'gpt-4o-mini', baseUrl: openAi }, own)?.input).toBe(1);
  });

  it('lists dollars per million tokens: none is off by a factor of a million', () => {
    for (const [name, { input, output, cachedInput = 0 }] of Object.entries(listPrices)) {
      expect(input, name).toBeGreaterThan(0.01);
      expect(output, name).toBeLessThanOrEqual(600);
      expect(output, name).toBeGreaterThanOrEqual(input);
      expect(cachedInput, name).toBeLessThan(input);
    }
  });
});

describe('a total', () => {
  it('keeps what is known apart from what is not', () => {
    const total = [costOfQuestion(0.5, 3), costOfQuestion(null, 4), costOfQuestion(0.25, 1)].reduce(
      addCost,
      noCost,
    );
    expect(total).toEqual({ usd: 0.75, unpricedCalls: 4 });
  });

  it.each([
    [{ usd: 0, unpricedCalls: 0 }, '$0.00'],
    [{ usd: 1.234, unpricedCalls: 0 }, '$1.23'],
    [{ usd: 0.5, unpricedCalls: 0 }, '$0.50'],
    [{ usd: 0.0123, unpricedCalls: 0 }, '$0.012'],
    [{ usd: 0.00123, unpricedCalls: 0 }, '$0.0012'],
    [{ usd: 0.000_004_56, unpricedCalls: 0 }, '$0.0000046'],
    [{ usd: 0, unpricedCalls: 7 }, 'cost unknown'],
    [{ usd: 2, unpricedCalls: 7 }, '$2.00 and 7 calls of unknown price'],
  ])('of %o reads %s', (cost, text) => expect(costText(cost)).toBe(text));
});
