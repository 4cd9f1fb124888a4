import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { createQueryProcesses } from '../../../../worker/adapters/duckdb/query-processes.js';

it('reports a crash when the channel to a process is closed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-query-process-'));
  const script = join(folder, 'closed.mjs');
  // The process lives on, so that only the message that cannot be sent shows that it is lost.
  writeFileSync(
    script,
    "process.send({ kind: 'ready' }); process.disconnect(); setInterval(() => {}, 1000);",
  );
  const pool = createQueryProcesses({ entry: pathToFileURL(script), processes: 1, memoryMb: 64 });
  const question = { kind: 'query', file: '/nowhere.duckdb', sql: 'SELECT 1', maxRows: 1 } as const;
  const { signal } = new AbortController();
  expect(await pool.ask(question, 20_000, signal)).toEqual({ kind: 'crashed' });
  pool.close();
  rmSync(folder, { recursive: true });
});
