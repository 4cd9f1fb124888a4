import { Worker } from 'node:worker_threads';
import type { ScratchQuestion, SqliteAnswer, SqlQuestion } from '../duckdb/messages.js';

let thread: Worker | undefined;

/**
 * Runs a statement in SQLite, or fills a database and asks it, in a thread that starts with the first one.
 * @param memoryMb - of SQLite
 */
export function askSqlite(
  question: SqlQuestion | ScratchQuestion,
  memoryMb: number,
): Promise<SqliteAnswer> {
  const running = (thread ??= start(memoryMb));
  return new Promise((resolve) => {
    running.once('message', resolve);
    running.postMessage(question);
  });
}

function start(memoryMb: number): Worker {
  const entry = new URL('./sqlite-thread.js', import.meta.url);
  const started = new Worker(entry, { workerData: memoryMb });
  // The library is in an undefined state: this process ends, as it would if DuckDB had crashed.
  return started.on('error', () => process.exit(1));
}
