import { parentPort, workerData } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { versionOfFile } from '../../../storage/unchanged-files.js';
import type { ScratchResult } from '../../../activities/ports/building.js';
import type { ScratchQuestion, SqliteAnswer, SqlQuestion } from '../duckdb/messages.js';
import { loadSqlite } from './library.js';
import { openSqlite, type SqliteConnection } from './run-statement.js';

// The entry of a thread that runs statements in SQLite, one at a time. While it does, the process can see how much time and
// memory that takes.

/** Databases that stay open. To open one takes about a millisecond, its pages in memory up to 16 MB. */
const keptOpen = 8;

const memoryMb = Number(workerData);
const library = await loadSqlite('reading');
const opened = new LRUCache<string, { version: string; connection: SqliteConnection }>({
  max: keptOpen,
  dispose: ({ connection }) => connection.close(),
});

async function answer({ file, sql, maxRows }: SqlQuestion): Promise<SqliteAnswer> {
  const found = await versionOfFile(file);
  if (found === null) return { kind: 'store-missing' };
  const { version } = found;
  const known = opened.get(file);
  if (known?.version === version) return known.connection.run(sql, maxRows);
  opened.delete(file);
  const connection = openSqlite(library, file, memoryMb);
  if (connection === null) return { kind: 'store-unavailable', message: 'it cannot be opened' };
  opened.set(file, { version, connection });
  return connection.run(sql, maxRows);
}

/** Fills a database in memory and asks it. */
function fill({ creates, inserts, queries, maxRows }: ScratchQuestion): SqliteAnswer {
  const filling = [...creates.map(({ sql }) => sql), ...inserts];
  const connection = openSqlite(library, null, memoryMb, filling);
  if (connection === null) return { kind: 'store-unavailable', message: 'it cannot be opened' };
  const results: ScratchResult[] = [];
  try {
    for (const sql of queries) {
      const given = connection.run(sql, maxRows);
      if (given.kind === 'rows') results.push(given);
      else if (given.kind === 'sql-error') results.push({ kind: 'error', message: given.message });
      else return given;
    }
  } finally {
    connection.close();
  }
  return { kind: 'scratch', outcome: { kind: 'filled', tables: [], results } };
}

// Only the query process sends messages, and it has the same version.
parentPort?.on('message', (question: SqlQuestion | ScratchQuestion) => {
  void (question.kind === 'scratch' ? Promise.resolve(fill(question)) : answer(question)).then(
    (given) => parentPort?.postMessage(given),
  );
});
