import { fork } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { compiledEntry } from '../../../support/compiled-entry.js';

it('ends with a worker that was gone before it listened', async () => {
  const { entry, remove } = compiledEntry('worker/adapters/duckdb/query-process.ts');
  const child = fork(entry, ['600']);
  child.disconnect();
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
  expect(signal).toBe('SIGKILL');
  remove();
});
