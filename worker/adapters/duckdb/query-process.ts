import { StatementType } from '@duckdb/node-api';
import { failureClass, modelMessage, refusalOf } from './allowed-statement.js';
import type { Answer, FromProcess, Question } from './messages.js';
import { createStoreOpener } from './open-store.js';
import { textsByKey } from './paper-texts.js';
import { readRows } from './rows.js';

/**
 * Ends this process when it holds more than `ceilingMb`, after `lastWord`. DuckDB's own `memory_limit` does not count the
 * texts that functions make (`repeat`, `lpad`, lists), which can grow by a gigabyte a second inside one function call.
 */
export function endWhenOverMemory(ceilingMb: number, lastWord: (then: () => void) => void): void {
  const watch = setInterval(() => {
    if (process.memoryUsage.rss() < ceilingMb * 2 ** 20) return;
    clearInterval(watch);
    lastWord(endNow);
  }, 20);
}

/** An ordinary exit would wait for DuckDB's threads. */
export const endNow = (): void => void process.kill(process.pid, 'SIGKILL');

// The entry of a process that runs one statement at a time and may be killed at any moment: see `query-processes.ts`.
const memoryMb = Number(process.argv[2]);
const openStore = createStoreOpener(Math.floor(memoryMb / 2));

function tell(message: FromProcess, then: () => void = () => undefined): void {
  process.send?.(message, then);
}

async function answer(question: Question): Promise<Answer> {
  const store = await openStore(question.file);
  if (store.kind !== 'open') return store;
  // A connection of its own for each question: nothing that a statement sets or leaves behind reaches the next.
  const connection = await store.instance.connect();
  try {
    switch (question.kind) {
      case 'query': {
        const refusal = await refusalOf(store.instance, connection, question.sql);
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

// The adapter is the only sender, and both sides are of one version.
process.on('message', (question: Question) => {
  void answer(question).then(tell, (error: unknown) =>
    tell({ kind: 'store-unavailable', message: String(error) }),
  );
});
// A signal to the whole process group asks the worker to end, which lets statements end first.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
process.on('disconnect', endNow);
// It may have gone before anybody listened.
if (!process.connected) endNow();
endWhenOverMemory(memoryMb, (then) => tell({ kind: 'out-of-memory' }, then));
tell({ kind: 'ready' });
