import { rmSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import type { SqlOutcome } from '../../../activities/ports/tools.js';
import { createExecuteAnswer } from '../../../activities/questions/execute-answer.js';
import type { DatasetItem } from '../../../domain/scoring/dataset-item.js';
import { databaseIdSchema, databaseKey } from '../../../domain/stores/database.js';
import { fakeTools } from '../../support/fakes/fake-tools.js';
import { FakeTables } from '../../support/fakes/fake-tables.js';
import { runActivity } from '../../support/run-activity.js';
import { exampleReply } from '../../support/runs/example-records.js';
import { questionInFolder } from '../../support/runs/question-in-folder.js';
import { exampleManifest } from '../../support/runs/example-manifest.js';

const homes: string[] = [];
afterEach(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
});

const evaluator = {
  eval_func: 'eval_execution_match',
  eval_kwargs: { gold_sql: 'SELECT 2', rule: 'bird' },
};
const database = { path: 'a.sqlite' };
const id = databaseIdSchema.parse('0'.repeat(32));

const one: SqlOutcome = {
  kind: 'rows',
  result: { columns: [{ name: 'n', type: 'INTEGER' }], rows: [[1]], more: false },
};

async function answering(
  outcomes: readonly (SqlOutcome | Error)[],
  item: Partial<DatasetItem> = { evaluator, database },
  answer: string | null = '```sql\nSELECT 1\n```',
) {
  const { home, ref, runFiles } = questionInFolder(item, (manifest) => ({
    ...manifest,
    databases: { [databaseKey(database)]: { kind: 'imported', id } },
  }));
  homes.push(home);
  if (answer !== null) {
    const action = { kind: 'GenerateAnswer', answer: { kind: 'text', text: answer } } as const;
    await runFiles.saveReply(ref.run, ref, exampleReply(1, action));
  }
  const tables = new FakeTables(outcomes);
  const executeAnswer = createExecuteAnswer({ runFiles, tables, ownCode: fakeTools({}).ownCode });
  const execute = () => runActivity(executeAnswer, ref);
  return { tables, execute, stored: () => runFiles.execution(ref.run, ref) };
}

it('executes the answer and the gold on the database of the question, and stores both results', async () => {
  const timeout: SqlOutcome = { kind: 'sql-timeout' };
  const { tables, execute, stored } = await answering([one, timeout]);
  await execute();
  expect(tables.statements.map(({ database, sql }) => [database, sql])).toEqual([
    [{ kind: 'imported', id }, 'SELECT 1'],
    [{ kind: 'imported', id }, 'SELECT 2'],
  ]);
  expect(await stored()).toEqual({
    statements: [
      { sql: 'SELECT 1', executed: one },
      {
        sql: 'SELECT 2',
        executed: { kind: 'failed', failure: 'timeout', message: 'over 60 s' },
      },
    ],
  });
});

it('executes once, whoever asks again', async () => {
  const { tables, execute } = await answering([one, one]);
  await execute();
  await execute();
  expect(tables.statements).toHaveLength(2);
});

it('executes on the store of the run where the question names no database', async () => {
  const { tables, execute } = await answering([one, one], { evaluator });
  await execute();
  expect(tables.statements[0]?.database).toEqual({
    kind: 'store',
    name: 'papers',
    fingerprint: exampleManifest().store.fingerprint,
  });
});

it.each<[string, SqlOutcome, object]>([
  [
    'errors',
    { kind: 'sql-error', failure: 'refused', message: 'no' },
    { kind: 'failed', failure: 'refused', message: 'no' },
  ],
  [
    'the size and some rows of a result that is too large to store',
    { kind: 'rows', result: { columns: [], rows: [[1], [2]], more: true } },
    { kind: 'too-large', rows: 2, seen: { columns: [], rows: [[1], [2]] } },
  ],
])('stores %s', async (_, outcome, executed) => {
  const { execute, stored } = await answering([outcome, one]);
  await execute();
  expect((await stored())?.statements[0]?.executed).toEqual(executed);
});

it.each<[string, Partial<DatasetItem>, string | null]>([
  ['another evaluator', { evaluator: { eval_func: 'f', eval_kwargs: {} } }, 'SELECT 1'],
  ['no answer', { evaluator, database }, null],
])('executes nothing for %s', async (_, item, answer) => {
  const { tables, execute, stored } = await answering([], item, answer);
  await execute();
  expect(tables.statements).toEqual([]);
  expect(await stored()).toBeNull();
});

it('fails where the database cannot be read, and stores nothing', async () => {
  const { execute, stored } = await answering([new PortFailure('StoreMissing', 'gone')]);
  await expect(execute()).rejects.toMatchObject({ type: 'StoreMissing', message: 'gone' });
  expect(await stored()).toBeNull();
});
