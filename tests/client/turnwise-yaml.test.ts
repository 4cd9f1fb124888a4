import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTurnwiseYaml } from '../../client/turnwise-yaml.js';
import { UserError } from '../../client/user-error.js';

function folderWith(yaml: string | null): string {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-yaml-'));
  if (yaml !== null) writeFileSync(join(folder, 'turnwise.yaml'), yaml);
  return folder;
}

describe('readTurnwiseYaml', () => {
  it.each([null, '', '# nothing yet\n'])('takes %j for nothing', (yaml) => {
    expect(readTurnwiseYaml(folderWith(yaml))).toEqual({ environment: {}, models: {}, prices: {} });
  });

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
    ['OPENAI_KEY: x', 'OPENAI_KEY'],
    ['models: { m: { temprature: 1 } }', 'models.m'],
    ['models: { m: { temperature: hot } }', 'models.m.temperature'],
    ['prices: { m: { input: 1 } }', 'prices.m.output'],
    ['prices: { m: { input: -1, output: 1 } }', 'prices.m.input'],
    ['a: [', 'is not YAML'],
  ])('refuses %s and says where', (yaml, where) => {
    const read = (): unknown => readTurnwiseYaml(folderWith(yaml));
    expect(read).toThrow(UserError);
    expect(read).toThrow(where);
  });
});
