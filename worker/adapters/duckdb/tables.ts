import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import type { SqlOutcome, TablesPort } from '../../../activities/ports/tools.js';
import type { StoreName } from '../../../domain/ids.js';
import { UnchangedFiles } from '../../../storage/unchanged-files.js';
import type { Question } from './messages.js';
import { createQueryProcesses, type Asked } from './query-processes.js';

const textsTimeoutMs = 30_000;

/** The tables of the stores under `stores`. `close` ends the processes that read them. */
export function createDuckdbTables({
  stores,
  processes = 2,
  memoryMb = 1024,
  entry = new URL('./query-process.js', import.meta.url),
}: {
  /** The folder that holds `S/S.duckdb` for each store S. */
  readonly stores: string;
  /** Statements that run at once. @defaultValue 2 */
  readonly processes?: number;
  /** The memory of a process; DuckDB itself may use half of it. @defaultValue 1024 */
  readonly memoryMb?: number;
  /** The compiled process. @defaultValue beside this module */
  readonly entry?: URL;
}): TablesPort & { readonly close: () => void } {
  const pool = createQueryProcesses({ entry, processes, memoryMb });
  const fileOf = (store: StoreName): string => join(stores, store, `${store}.duckdb`);

  const ask = async (
    store: StoreName,
    question: Question,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<Asked> => {
    try {
      return await pool.ask(question, timeoutMs, signal);
    } catch (cause) {
      signal.throwIfAborted();
      throw new PortFailure('StoreUnavailable', `Store ${store} cannot be asked now.`, { cause });
    }
  };

  return {
    query: async ({ store, sql, maxRows, timeoutMs }, signal) => {
      const question: Question = { kind: 'query', file: fileOf(store), sql, maxRows };
      const asked = await ask(store, question, timeoutMs, signal);
      return outcomeOf(asked) ?? refuse(store, asked);
    },
    texts: rememberTexts(async ({ store, ...wanted }, signal) => {
      const question: Question = { kind: 'texts', file: fileOf(store), ...wanted };
      const asked = await ask(store, question, textsTimeoutMs, signal);
      return asked.kind === 'texts' ? new Map(asked.texts) : refuse(store, asked);
    }, fileOf),
    close: pool.close,
  };
}

/** The outcome for the model; null if the store is at fault, not the statement. */
function outcomeOf(asked: Asked): SqlOutcome | null {
  switch (asked.kind) {
    case 'rows':
    case 'sql-error':
      return asked;
    case 'timeout':
      return { kind: 'sql-timeout' };
    case 'out-of-memory':
      return failed('memory', 'The statement needs more memory than it may use.');
    case 'crashed':
      return failed('crash', 'The statement brought the database engine down.');
    case 'texts':
    case 'store-missing':
    case 'store-damaged':
    case 'store-unavailable':
      return null;
  }
}

const failed = (failure: string, message: string): SqlOutcome => ({
  kind: 'sql-error',
  failure,
  message,
});

function refuse(store: StoreName, asked: Asked): never {
  const again = `turnwise ingest PATH… --store ${store}`;
  if (asked.kind === 'store-missing') {
    throw new PortFailure('StoreMissing', `There is no store ${store}. Make it with: ${again}`);
  }
  if (asked.kind === 'store-damaged') {
    throw new PortFailure(
      'StoreMissing',
      `The tables of store ${store} are no DuckDB database. Make it again with: ${again}`,
    );
  }
  const reason = asked.kind === 'store-unavailable' ? asked.message : asked.kind;
  throw new PortFailure('StoreUnavailable', `Store ${store} cannot be read now: ${reason}`);
}

type Texts = TablesPort['texts'];

/** Of one store. */
const mostCharacters = 16 * 2 ** 20;

/**
 * Caches the texts of stores until a store changes. The questions of a run find the same passages again and again, and each
 * read is a request to another process.
 * @param fileOf - the database of a store
 */
export function rememberTexts(read: Texts, fileOf: (store: StoreName) => string): Texts {
  const stores = new UnchangedFiles();
  return async (wanted, signal) => {
    const { store, tableName, columnName, primaryKeys } = wanted;
    const place = (key: string): string => JSON.stringify([tableName, columnName, key]);
    const known =
      (await stores.read(fileOf(store), () => Promise.resolve(emptyMemory()))) ?? emptyMemory();

    const found = new Map<string, string>();
    for (const key of primaryKeys) {
      const text = known.get(place(key));
      if (text !== undefined) found.set(key, text);
    }
    const missing = primaryKeys.filter((key) => !found.has(key));
    if (missing.length === 0) return found;
    for (const [key, text] of await read({ ...wanted, primaryKeys: missing }, signal)) {
      known.set(place(key), text);
      found.set(key, text);
    }
    return found;
  };
}

const emptyMemory = (): LRUCache<string, string> =>
  new LRUCache({ maxSize: mostCharacters, sizeCalculation: ({ length }) => length + 1 });
