import { StatementType } from '@duckdb/node-api';
import { refusalOf } from './allowed-statement.js';
import { endNow, endWhenOverMemory } from './memory-ceiling.js';
import type { Answer, FromProcess, Question } from './messages.js';
import { failureClass, modelMessage } from './model-message.js';
import { createStoreOpener } from './open-store.js';
import { readRows } from './read-rows.js';
import { textsByKey } from './texts-by-key.js';

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
