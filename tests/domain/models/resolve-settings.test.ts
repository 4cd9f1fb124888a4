import { describe, expect, it } from 'vitest';
import type { ModelEntries, ModelEntry } from '../../../domain/models/model-entry.js';
import { resolveSettings } from '../../../domain/models/resolve-settings.js';
import { defaultRunConfig } from '../../../domain/runs/run-config.js';

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
      temperature: 0.7,
      topP: 0.95,
      maxTokens: 1500,
      seed: null,
      reasoningEffort: null,
      systemRole: 'system',
      tokenLimitField: null,
      structuredReplies: false,
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
