import { fork } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { compiledEntry } from '../../../support/commands/compiled-entry.js';

it('ends with a worker that was gone before it listened', async () => {
  const { entry, remove } = compiledEntry('worker/adapters/duckdb/query-process.ts');
  const child = fork(entry, ['600', '8']);
  child.disconnect();
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
  expect(signal).toBe('SIGKILL');
  remove();
});

it('outlasts a signal to its process group: the worker tells it when to end', async () => {
  const { entry, remove } = compiledEntry('worker/adapters/duckdb/query-process.ts');
  const child = fork(entry, ['600', '8']);
  await once(child, 'message');
  for (const signal of ['SIGTERM', 'SIGINT'] as const) child.kill(signal);
  child.send({ kind: 'query', file: '/nowhere.duckdb', sql: 'SELECT 1', maxRows: 1 });
  const [answer] = (await once(child, 'message')) as [unknown];
  expect(answer).toMatchObject({ kind: 'store-missing' });
  child.disconnect();
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
  expect(signal).toBe('SIGKILL');
  remove();
});
