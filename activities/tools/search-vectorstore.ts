import {
  searchErrorObservation,
  searchObservation,
} from '../../domain/agent/observations/search-observation.js';
import type { Observed } from '../../domain/agent/observations/tool-outcome.js';
import {
  checkSearch,
  filterRefusal,
  type SearchArguments,
  type VectorSearch,
} from '../../domain/agent/observations/vector-search.js';
import { modalityOf } from '../../domain/stores/store-manifest.js';
import type { ToolUse } from './tool-use.js';

/**
 * RetrieveFromVectorstore and ClassicRetrieve. A filter of the model is also evaluated alone. Its errors then concern only
 * what the model wrote, and a filter such as `a) or (b`, which is valid only inside our own condition, is refused.
 */
export async function searchVectorstore(
  use: ToolUse,
  asked: SearchArguments,
  filterBy: 'model' | 'turnwise',
): Promise<Observed> {
  const { search, store, style, timeoutMs, signal, timed } = use;
  const check = checkSearch(asked, store, style.strictness);
  if (check.kind === 'refused') return check.observed;
  const { collection, query, filter, limit } = check.search;
  const { name, fingerprint } = store;
  const place = { store: name, fingerprint, collection: collection.name, timeoutMs };

  const tried = filterBy === 'model' && asked.filter !== '';
  const [trial, outcome] = await timed(
    Promise.all([
      tried ? search.tryFilter({ ...place, filter: asked.filter }, signal) : untried,
      search.search({ ...place, query, filter, limit }, signal),
    ]),
  );
  if (trial.kind === 'search-error') return filterRefusal(asked.filter, trial.message);
  switch (outcome.kind) {
    case 'hits': {
      const { hits } = outcome;
      const keys = hits.map(({ primaryKey }) => primaryKey);
      const isPictures = modalityOf(collection.name) === 'image';
      const texts = isPictures ? null : await textsOf(use, check.search, keys);
      const { fields } = check.search;
      return searchObservation({ query, metric: collection.metric, fields, hits, texts }, style);
    }
    case 'search-error':
      return searchErrorObservation('vectorstore', outcome.message);
  }
}

const untried = { kind: 'valid' } as const;

/** The vectorstore holds no texts: they are read from the tables, by primary key. */
async function textsOf(
  { tables, store, signal, timed }: ToolUse,
  { tableName, columnName }: VectorSearch,
  primaryKeys: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (primaryKeys.length === 0) return new Map();
  const keyColumns = store.database?.searched.find(({ table }) => table === tableName)?.key;
  const wanted = {
    ...{ store: store.name, fingerprint: store.fingerprint },
    ...{ tableName, columnName, primaryKeys },
    ...(keyColumns && { keyColumns }),
  };
  return timed(tables.texts(wanted, signal));
}
