import { bm25Encoder, newCorpus } from '../../domain/stores/bm25.js';
import {
  isSameBm25,
  whereOf,
  type CellRef,
  type StoreCheck,
} from '../../domain/stores/store-check.js';
import type { SearchedTable, StoredDatabase } from '../../domain/stores/database.js';
import { sum } from '../../domain/statistics/means.js';
import { bm25File, databaseFile, type Collection } from '../../domain/stores/store-manifest.js';
import { PortFailure } from '../ports/port-failure.js';
import type { StoredDatabasesPort } from '../ports/store-contents.js';
import { compareCollections, countVectors, type CollectionsCheck } from './check-collections.js';

interface DatabaseCheck extends CollectionsCheck {
  readonly storedDatabases: StoredDatabasesPort;
  readonly signal: AbortSignal;
}

/** Compares the database of a store, its collections, the BM25 model and the manifest. Changes nothing. */
export async function checkDatabase(
  context: DatabaseCheck,
  database: StoredDatabase,
): Promise<StoreCheck> {
  const { contents, findings, manifest, storedDatabases } = context;
  const { name } = manifest;
  const collections = await compareCollections(context);
  const model = await contents.bm25(manifest);
  const modelFile = bm25File;
  if (model === null) findings.add('bm25-lost', modelFile, null, modelFile);
  const encoder = model && bm25Encoder(model);
  const corpus = newCorpus();
  const counted = new Map(collections.map((collection) => [collection, 0]));

  const sha256 = await storedDatabases.sha256(name);
  if (sha256 !== database.sha256) {
    const what = sha256 === null ? 'it is missing' : 'it is not what was imported';
    findings.add('tables-lost', databaseFile(name), null, what);
  }
  for (const table of database.searched) {
    const held = await heldCells(context, collections, table, counted);
    if (findings.has('tables-lost')) continue;
    try {
      for await (const cells of storedDatabases.cells(name, 'current', [table])) {
        context.signal.throwIfAborted();
        for (const cell of cells) {
          corpus.add(cell.text);
          const hasTerms = (encoder?.document(cell.text).size ?? 0) > 0;
          for (const [collection, places] of held) {
            if (places.delete(placeOf(cell))) continue;
            if (collection.vector.kind === 'sparse' && !hasTerms) continue;
            findings.add('vectors-missing', whereOf(collection.name, cell), null, cell.primaryKey);
          }
        }
      }
    } catch (error) {
      if (!(error instanceof PortFailure)) throw error;
      findings.add('tables-lost', databaseFile(name), null, error.message);
      continue;
    }
    for (const [collection, places] of held) {
      for (const ref of places.values()) {
        findings.add('vectors-extra', whereOf(collection.name, ref), null, ref.primaryKey);
      }
    }
  }
  let vectors = 0;
  for (const [collection, seen] of counted) {
    vectors += await countVectors(context, collection, seen);
  }
  if (model !== null && !findings.has('tables-lost') && !isSameBm25(model, corpus.fit())) {
    findings.add('bm25-changed', modelFile, null, `fitted to ${model.corpus_size} cells`);
  }
  const rows = sum(database.tables.map((table) => table.rows ?? 0));
  return { database: database.id, papers: 0, rows, vectors, findings: findings.list() };
}

/** The cells of a table that have vectors, by collection and place. @param counted - the number of vectors is added to it */
async function heldCells(
  { manifest, vectors }: DatabaseCheck,
  collections: readonly Collection[],
  { table }: SearchedTable,
  counted: Map<Collection, number>,
): Promise<ReadonlyMap<Collection, Map<string, CellRef>>> {
  const held = new Map<Collection, Map<string, CellRef>>();
  for (const collection of collections) {
    const places = new Map<string, CellRef>();
    for await (const refs of vectors.refs(manifest, collection.name, { table })) {
      for (const ref of refs) places.set(placeOf(ref), ref);
      counted.set(collection, (counted.get(collection) ?? 0) + refs.length);
    }
    held.set(collection, places);
  }
  return held;
}

/** Within a table. */
const placeOf = ({ column, primaryKey }: CellRef): string => JSON.stringify([column, primaryKey]);
