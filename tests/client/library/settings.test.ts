import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { evaluate, openRun } from '../../../client/library/index.js';
import { runIdSchema } from '../../../domain/ids.js';
import { inEmptyFolder } from '../../support/commands/refused-command.js';
import { runInFolder } from '../../support/runs/run-in-folder.js';

inEmptyFolder();

const stored = (id: string): { readonly home: string; readonly folder: string } =>
  runInFolder([{ uuid: 'a', question: 'Why?' }], (manifest) => ({
    ...manifest,
    run: runIdSchema.parse(id),
  }));

it('two calls with homes of their own do not disturb each other, and the environment stays as it was', async () => {
  writeFileSync('.env', 'GRAPH_API_KEY=secret\nMILVUS_TOKEN=token\n');
  const before = { ...process.env };
  const homes = [stored('one'), stored('two')] as const;
  const opened = await Promise.all(
    ['one', 'two'].map((id, at) => openRun(id, { TURNWISE_HOME: homes[at]?.home ?? '' })),
  );
  expect(opened.map(({ folder }) => folder)).toEqual(homes.map(({ folder }) => folder));
  expect(await opened[0]?.answers()).toEqual([]);
  await expect(openRun('two', { TURNWISE_HOME: homes[0].home })).rejects.toThrow(/no run two/);
  const wrong = { questions: 'plain.jsonl', method: 'nothing' };
  await expect(evaluate({ ...wrong, settings: { TURNWISE_HOME: homes[0].home } })).rejects.toThrow(
    'there is no method nothing',
  );
  // Without settings, it is that of the environment.
  await expect(openRun('one')).rejects.toThrow(/no run one/);
  expect({ ...process.env }).toEqual(before);
});

it('an empty setting is one that is not set', async () => {
  const settings = { OPENAI_BASE_URL: '', OPENAI_API_KEY: '' };
  await expect(evaluate({ questions: 'plain.jsonl', settings })).rejects.toThrow(
    'no model can be asked: set OPENAI_API_KEY',
  );
});

it('a setting that is none is refused', async () => {
  await expect(openRun('one', { TURNWISE_HOMES: 'a' })).rejects.toThrow(
    'TURNWISE_HOMES is no setting (did you mean TURNWISE_HOME?)',
  );
  await expect(openRun('one', { TURNWISE_UI_PORT: 'many' })).rejects.toThrow(
    'TURNWISE_UI_PORT: must be a port',
  );
});
