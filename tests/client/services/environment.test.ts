import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { loadEnvironment } from '../../../client/services/environment.js';

afterEach(() => vi.unstubAllEnvs());

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-settings-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  for (const name of ['TURNWISE_TASK_QUEUE', 'TURNWISE_UI_PORT', 'TURNWISE_HOME']) {
    vi.stubEnv(name, undefined);
  }
  return folder;
}

it('takes a setting from turnwise.yaml, over it .env, over it the environment', () => {
  const folder = folderWith({
    'turnwise.yaml': 'TURNWISE_TASK_QUEUE: yaml\nTURNWISE_UI_PORT: 8233\n',
    '.env': 'TURNWISE_TASK_QUEUE=dotenv\n',
  });
  expect(loadEnvironment(process.env, folder)).toMatchObject({
    TURNWISE_TASK_QUEUE: 'dotenv',
    TURNWISE_UI_PORT: 8233,
    TURNWISE_HOME: join(folder, '.turnwise'),
  });
  vi.stubEnv('TURNWISE_TASK_QUEUE', 'shell');
  expect(loadEnvironment(process.env, folder).TURNWISE_TASK_QUEUE).toBe('shell');
});

describe('says in one line what is wrong with', () => {
  it.each([
    [
      'a key that is no setting',
      'HOME_OF_TURNS: x',
      /turnwise\.yaml.*HOME_OF_TURNS.*TURNWISE_HOME/,
    ],
    ['what is not YAML', 'a: [', /turnwise\.yaml is not YAML: [^\n]+$/],
    ['a port', 'TURNWISE_UI_PORT: many', /in \S+turnwise\.yaml, TURNWISE_UI_PORT: must be a port/],
    [
      'a name that is mistyped',
      'TURNWISE_UI_PROT: 1',
      /is no setting \(did you mean TURNWISE_UI_PORT\?\)/,
    ],
    ['an endpoint', 'OPENAI_BASE_URL: localhost', /OPENAI_BASE_URL: must be a URL, such as/],
  ])('%s', (_what, yaml, sentence) => {
    vi.stubEnv('OPENAI_BASE_URL', undefined);
    const folder = folderWith({ 'turnwise.yaml': yaml });
    expect(() => loadEnvironment(process.env, folder)).toThrow(sentence);
  });
});
