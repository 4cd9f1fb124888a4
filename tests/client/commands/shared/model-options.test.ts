import { CommandLine } from '../../../../client/commands/shared/command-line.js';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { modelConfigOf } from '../../../../client/commands/shared/model-options.js';
import { modelOptions, type ModelFlags } from '../../../../domain/runs/run-options.js';
import type { ModelConfig } from '../../../../domain/models/model-settings.js';

const openAi = 'https://api.openai.com/v1';
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnwise-model-'));
  vi.spyOn(process, 'cwd').mockReturnValue(folder);
});
afterEach(() => vi.restoreAllMocks());

function configOf(args: readonly string[], baseUrl = openAi): ModelConfig {
  const command = new CommandLine()
    .takes(modelOptions)
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  command.parse(args, { from: 'user' });
  return modelConfigOf(command.opts<ModelFlags>(), {
    endpoints: { api: 'chat', addressOf: () => baseUrl },
    strict: false,
  });
}

describe('the model options', () => {
  it('leave the usual model as it is, with its price', () => {
    expect(configOf([])).toEqual({
      name: 'gpt-4o-mini',
      api: 'chat',
      baseUrl: openAi,
      temperature: 0.7,
      topP: 0.95,
      maxTokens: 1500,
      seed: null,
      reasoningEffort: null,
      systemRole: 'system',
      tokenLimitField: null,
      structuredReplies: true,
      extraBody: {},
      stream: false,
      timeoutMs: 300_000,
      cache: false,
      price: { input: 0.15, output: 0.6, cachedInput: 0.075 },
    });
  });

  it('override the model and the file', () => {
    writeFileSync(
      join(folder, 'turnwise.yaml'),
      'models: { o3: { maxTokens: 9000, reasoningEffort: high } }\nprices: { o3: { input: 1, output: 1 } }',
    );
    const flags = ['--model', 'o3', '--reasoning-effort', 'low', '--model-seed', '7'];
    expect(configOf([...flags, '--model-timeout', '900', '--cache'])).toMatchObject({
      temperature: null,
      maxTokens: 9000,
      reasoningEffort: 'low',
      seed: 7,
      timeoutMs: 900_000,
      cache: true,
      price: { input: 1, output: 1 },
    });
    expect(configOf(['--top-p', '0.5', '--max-tokens', '20', '--temperature', '0'])).toMatchObject({
      topP: 0.5,
      maxTokens: 20,
      temperature: 0,
    });
  });

  it('know no price of a model in the own network', () => {
    expect(configOf([], 'http://127.0.0.1:8000/v1').price).toBeNull();
  });

  it('say which flag a model does not take, and how to insist', () => {
    expect(() => configOf(['--model', 'o3', '--temperature', '0'])).toThrow(
      /^o3 takes no --temperature: leave it out, or .*turnwise\.yaml/,
    );
  });

  it.each([
    ['--temperature', '3'],
    ['--top-p', '0'],
    ['--max-tokens', '1.5'],
    ['--reasoning-effort', 'huge'],
    ['--model-seed', '-1'],
    ['--model', ' '],
  ])('refuse %s %s', (...args) => expect(() => configOf(args)).toThrow());
});
