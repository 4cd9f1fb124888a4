import {
  searchErrorObservation,
  searchObservation,
} from '../../domain/agent/observations/observation.js';
import type { Observed } from '../../domain/agent/observations/tool-outcome.js';
import {
  checkSearch,
  filterRefusal,
  type SearchArguments,
  type SearchHit,
  type VectorSearch,
} from '../../domain/agent/observations/vector-search.js';
import { fuseHits, fusedDepth } from '../../domain/stores/vectorstore-schema.js';
import { modalityOf, type Collection } from '../../domain/stores/store-manifest.js';
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
  const { collections, query, filter, limit } = check.search;
  const [{ name: first, metric }, ...others] = collections;
  const isFused = others.length > 0;
  const { name, fingerprint } = store;
  const placeOf = ({ name: collection }: Pick<Collection, 'name'>) => ({
    ...{ store: name, fingerprint, collection, timeoutMs },
  });
  const most = isFused ? Math.max(limit, fusedDepth) : limit;

  const tried = filterBy === 'model' && asked.filter !== '';
  const [trial, ...outcomes] = await timed(
    Promise.all([
      tried
        ? search.tryFilter({ ...placeOf({ name: first }), filter: asked.filter }, signal)
        : untried,
      ...collections.map((collection) =>
        search.search({ ...placeOf(collection), query, filter, limit: most }, signal),
      ),
    ]),
  );
  if (trial.kind === 'search-error') return filterRefusal(asked.filter, trial.message);
  const found: (readonly SearchHit[])[] = [];
  for (const outcome of outcomes) {
    if (outcome.kind === 'search-error') {
      return searchErrorObservation('vectorstore', outcome.message);
    }
    found.push(outcome.hits);
  }
  const hits = isFused ? fuseHits(found, limit) : found.flat();
  const keys = hits.map(({ primaryKey }) => primaryKey);
  const texts = modalityOf(first) === 'image' ? null : await textsOf(use, check.search, keys);
  const { fields } = check.search;
  return searchObservation({ query, metric: isFused ? 'RSF' : metric, fields, hits, texts }, style);
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
