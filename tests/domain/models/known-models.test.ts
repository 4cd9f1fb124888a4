import { describe, expect, it } from 'vitest';
import { matchModel, resolveSettings } from '../../../domain/models/known-models.js';
import type { ModelEntries, ModelEntry } from '../../../domain/models/model-settings.js';
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
