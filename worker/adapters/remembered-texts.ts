import { LRUCache } from 'lru-cache';
import type { TablesPort } from '../../activities/ports/tables.js';
import type { StoreName } from '../../domain/ids.js';
import { UnchangedFiles } from '../../storage/unchanged-files.js';

type Texts = TablesPort['texts'];

/** Of one store. */
const mostCharacters = 16 * 2 ** 20;

/**
 * Texts of stores that are read once for as long as a store stays as it is: the questions of a run find the same passages
 * again and again, and each reading asks another process.
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
