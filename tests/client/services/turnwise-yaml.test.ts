import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTurnwiseYaml } from '../../../client/services/turnwise-yaml.js';
import { UserError } from '../../../domain/user-error.js';

function folderWith(yaml: string | null): string {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-yaml-'));
  if (yaml !== null) writeFileSync(join(folder, 'turnwise.yaml'), yaml);
  return folder;
}

describe('readTurnwiseYaml', () => {
  it.each([null, '', '# nothing yet\n', 'models:\nprices:\nOPENAI_BASE_URL:\n'])(
    'takes %j for nothing',
    (yaml) => {
      expect(readTurnwiseYaml(folderWith(yaml))).toEqual({
        environment: {},
        models: {},
        prices: {},
      });
    },
  );

  it('reads settings, models and prices', () => {
    const yaml = `
TURNWISE_UI_PORT: 8233
models:
  "qwen3*":
    temperature: 0.6
    refuses: [seed]
    extraBody: { chat_template_kwargs: { enable_thinking: false } }
prices:
  qwen3-8b: { input: 0, output: 0 }
`;
    expect(readTurnwiseYaml(folderWith(yaml))).toEqual({
      environment: { TURNWISE_UI_PORT: '8233' },
      models: {
        'qwen3*': {
          temperature: 0.6,
          refuses: ['seed'],
          extraBody: { chat_template_kwargs: { enable_thinking: false } },
        },
      },
      prices: { 'qwen3-8b': { input: 0, output: 0 } },
    });
  });

  it.each([
    ['# mine\nOPENAI_KEY: x', 'line 2: OPENAI_KEY is no setting; there are models, prices, '],
    ['OPENAI_API_KEY: [x]', 'line 1: OPENAI_API_KEY must be a text or a number'],
    ['- a', 'line 1: it must be a list of `name: value`'],
    ['models: 3', 'line 1: models must be a list of `name: value`'],
    ['models: { "": { topP: 1 } }', 'line 1: models has an empty name'],
    ['models:\n  m:\nprices:\n', 'line 2: models.m must be a list of `name: value`'],
    [
      'models:\n  m:\n    seed: 1\n    top_p: 1',
      'line 4: models.m.top_p is no setting (did you mean topP?); there are api, temperature, topP, ',
    ],
    ['models:\n  m: { temperature: hot }', 'line 2: models.m.temperature must be a number'],
    ['models:\n  m: { temperature: 9 }', 'line 2: models.m.temperature must be at most 2'],
    ['models:\n  m: { maxTokens: 1.5 }', 'line 2: models.m.maxTokens must be a whole number'],
    ['models:\n  m: { maxTokens: 0 }', 'line 2: models.m.maxTokens must be more than 0'],
    [
      'models:\n  m:\n    refuses:\n      - seed\n      - heat',
      'line 5: models.m.refuses.1 must be one of temperature, topP, seed, reasoningEffort',
    ],
    ['prices:\n\n  m: { input: 1 }', 'line 3: prices.m.output is missing'],
    ['prices:\n  m: { input: -1, output: 1 }', 'line 2: prices.m.input must be at least 0'],
    ['prices:\n  m: { input: .inf, output: 1 }', 'line 2: prices.m.input must be a number'],
    [
      'prices:\n  m: { input: 1, output: 1, cached: 1 }',
      'line 2: prices.m.cached is no setting (did you mean cachedInput?); there are input, output, cachedInput',
    ],
    ['a: [', 'is not YAML: '],
    ['models: {}\nmodels: {}', 'is not YAML: Map keys must be unique at line 2'],
  ])('refuses %j and says where', (yaml, where) => {
    const read = (): unknown => readTurnwiseYaml(folderWith(yaml));
    expect(read).toThrow(UserError);
    expect(read).toThrow(where);
  });
});
