import { StatementType } from '@duckdb/node-api';
import { failureClass, modelMessage, refusalOf } from './allowed-statement.js';
import type { FromProcess, Question, SqliteAnswer } from './messages.js';
import { fillScratch } from './scratch-database.js';
import { createStoreOpener } from './open-store.js';
import { textsByKey } from './paper-texts.js';
import { readRows } from './rows.js';
import { engineOfFile } from '../../../domain/stores/database.js';
import { askSqlite } from '../sqlite/ask-sqlite.js';

/**
 * Runs `work`, reports the processor time that it uses, and ends this process when it uses more than `memoryMb` meanwhile or
 * afterwards. DuckDB's own `memory_limit` does not count the results of functions (`repeat`, `lpad`, lists), which can grow
 * by a gigabyte per second.
 */
async function withinMemory(work: () => Promise<void>): Promise<void> {
  const check = (): void => {
    if (process.memoryUsage.rss() < memoryMb * 2 ** 20) return;
    clearInterval(watch);
    send({ kind: 'out-of-memory' }, endNow);
  };
  const before = process.cpuUsage();
  const watch = setInterval(() => {
    const { user, system } = process.cpuUsage(before);
    send({ kind: 'used', cpuMs: (user + system) / 1000 });
    check();
  }, 20);
  await work();
  clearInterval(watch);
  check();
}

/** Without waiting for DuckDB's threads, as an ordinary exit would. */
const endNow = (): void => void process.kill(process.pid, 'SIGKILL');

// The entry of a process that runs one statement at a time and may be killed at any time: see `query-processes.ts`.
const memoryMb = Number(process.argv[2]);
const keptOpen = Number(process.argv[3]);
const openStore = createStoreOpener(Math.floor(memoryMb / 2), keptOpen);

function send(message: FromProcess, then: () => void = () => undefined): void {
  process.send?.(message, then);
}

async function answer(question: Question): Promise<SqliteAnswer> {
  const engine = question.kind === 'scratch' ? question.engine : engineOfFile(question.file);
  if (question.kind !== 'texts' && engine === 'sqlite') {
    return askSqlite(question, Math.floor(memoryMb / 2));
  }
  if (question.kind === 'scratch') {
    return { kind: 'scratch', outcome: await fillScratch(question, Math.floor(memoryMb / 2)) };
  }
  const store = await openStore(question.file);
  if (store.kind !== 'open') return store;
  // A new connection for each question, so that no statement affects the next one.
  const connection = await store.instance.connect();
  try {
    switch (question.kind) {
      case 'query': {
        const refusal = await refusalOf(connection, question.sql);
        if (refusal !== null) return { kind: 'sql-error', failure: 'refused', message: refusal };
        const statement = await connection.prepare(question.sql);
        if (statement.statementType !== StatementType.SELECT) throw new Error('not a SELECT');
        return { kind: 'rows', result: await readRows(await statement.stream(), question.maxRows) };
      }
      case 'texts':
        return { kind: 'texts', texts: await textsByKey(store.instance, connection, question) };
    }
  } catch (error) {
    const message = modelMessage(error);
    return question.kind === 'query'
      ? { kind: 'sql-error', failure: failureClass(message), message }
      : { kind: 'store-unavailable', message };
  } finally {
    connection.closeSync();
  }
}

// Only the adapter sends messages, and it has the same version.
process.on('message', (question: Question) => {
  void withinMemory(() =>
    answer(question).then(send, (error: unknown) =>
      send({ kind: 'store-unavailable', message: String(error) }),
    ),
  );
});
// A signal to the process group is meant for the worker, which lets statements complete before it ends this process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
process.on('disconnect', endNow);
// The worker may be gone already.
if (!process.connected) endNow();
send({ kind: 'ready' });
