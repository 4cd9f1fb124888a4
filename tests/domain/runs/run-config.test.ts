import { modelConfigSchema } from '../../../domain/models/model-settings.js';
import { describe, expect, it } from 'vitest';
import { defaultRunConfig, fixedConfig, runConfigSchema } from '../../../domain/runs/run-config.js';

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
});
