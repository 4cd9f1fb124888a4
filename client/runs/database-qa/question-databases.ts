import { dirname } from 'node:path';
import { methodOf, methodNeeds } from '../../../domain/agent/methods.js';
import { UserError } from '../../../domain/user-error.js';
import { databaseOf, type RunManifest } from '../../../domain/runs/run-manifest.js';
import type { RunConfig } from '../../../domain/runs/run-config.js';
import type { DatasetItem } from '../../../domain/scoring/dataset-item.js';
import {
  databaseKey,
  type DatabaseRef,
  type DatabaseSource,
  type DescribedDatabase,
} from '../../../domain/stores/database.js';
import { describeStore, renderDatabaseDdl } from '../../../domain/stores/database-schema.js';
import type { StoreManifest } from '../../../domain/stores/store-manifest.js';
import { openStorePlace, type StoreSettings } from '../../../storage/stores/store-place.js';
import { inWords } from '../stores/store-files.js';
import { importDatabases, type DatabaseImport } from './import-databases.js';

/** A run that is being planned, as far as its databases depend on it. */
export interface QuestionsToAsk {
  readonly home: string;
  /** Where stores and databases are. @defaultValue the home */
  readonly storage?: string | undefined;
  /** Paths of databases are relative to its folder. */
  readonly dataset: { readonly path: string };
  readonly store: Pick<StoreManifest, 'name' | 'database'> | null;
  readonly config: Pick<RunConfig, 'method'>;
  /** @defaultValue false */
  readonly skipBadDatabases?: boolean;
  /** Whether the question comes from the command line, so that messages name neither dataset nor question. @defaultValue false */
  readonly isAlone?: boolean;
}

/** The databases of a run's questions. */
export interface QuestionDatabases {
  /** For the run's manifest. */
  readonly databases: RunManifest['databases'];
  /** Questions that are left out because their database cannot be read, with the reason. */
  readonly skipped: ReadonlyMap<string, string>;
  /** The schema that the prompts of a question show; null for a method over papers. */
  readonly schemaOf: (item: DatasetItem) => string | null;
}

/**
 * Imports the databases that the questions name, each once. Throws UserError where the method and the questions do not go
 * together, or a database cannot be read and questions are not to be skipped.
 * @param importer - reads the databases
 */
export async function questionDatabases(
  {
    home,
    storage,
    dataset,
    store,
    config,
    skipBadDatabases = false,
    isAlone = false,
  }: QuestionsToAsk,
  items: readonly DatasetItem[],
  importer: typeof importDatabases = importDatabases,
): Promise<QuestionDatabases> {
  const { reads } = methodNeeds(methodOf(config));
  if (reads !== 'database') {
    requireStoreQuestions(items, config.method, reads, store, dataset.path);
    return { databases: {}, skipped: new Map(), schemaOf: () => null };
  }
  const own = sourcesOf(items);
  const stores: readonly DatabaseSource[] = store === null ? [] : [{ name: store.name }];
  if (isAlone && own.length === 0 && store === null) {
    throw new UserError(
      `method ${config.method} needs a database: name one with --database, or a store with --store`,
    );
  }
  requireDatabaseQuestions(items, config.method, store !== null, dataset.path);
  const folder = dirname(dataset.path);
  const found = await importer({
    ...{ home, storage, folder, isForWorkers: true },
    sources: [...own, ...stores],
  });
  const refused = items.flatMap(({ uuid, database }) => {
    const result = database && found.get(databaseKey(database));
    return result?.kind === 'refused' ? [[uuid, result.message] as const] : [];
  });
  const [first] = refused;
  if (first && isAlone) throw new UserError(first[1]);
  if (first && (!skipBadDatabases || refused.length === items.length)) {
    const more = refused.length - 1;
    const others =
      more === 0 ? '' : ` (and ${more} more question${more === 1 ? '' : 's'} with such a database)`;
    const remedy = skipBadDatabases
      ? 'no question has a database that can be read'
      : '--skip-bad-databases leaves such questions out';
    throw new UserError(`${dataset.path}: question ${first[0]}: ${first[1]}${others}; ${remedy}`);
  }
  const imported = new Map(
    [...found].flatMap(([key, result]) => (result.kind === 'imported' ? [[key, result]] : [])),
  ) as ReadonlyMap<string, Extract<DatabaseImport, { readonly kind: 'imported' }>>;
  return {
    databases: Object.fromEntries(
      own.flatMap((source) => {
        const key = databaseKey(source);
        const result = imported.get(key);
        return result === undefined ? [] : [[key, result.ref]];
      }),
    ),
    skipped: new Map(refused),
    schemaOf: ({ database }) => {
      const [storeSource] = stores;
      const source = database ?? storeSource;
      const result = source && imported.get(databaseKey(source));
      return result === undefined ? null : renderDatabaseDdl(result.description);
    },
  };
}

/** The schema that the prompts of a stored question show; null for a method over papers, or if its database was removed. */
export async function storedSchema(
  settings: StoreSettings,
  manifest: RunManifest,
  item: DatasetItem,
): Promise<string | null> {
  const database = askedDatabase(manifest, item);
  const described = database && (await storedDescription(settings, database));
  return described && renderDatabaseDdl(described);
}

/** The database of a stored question; null for a method over papers. */
export const askedDatabase = (manifest: RunManifest, item: DatasetItem): DatabaseRef | null =>
  methodNeeds(methodOf(manifest.config)).reads === 'database' ? databaseOf(manifest, item) : null;

/** The tables of a store, or of a database that a run has imported; null if that is missing or damaged. */
export async function storedDescription(
  settings: StoreSettings,
  database: DatabaseRef,
): Promise<DescribedDatabase | null> {
  const { generations, imported } = openStorePlace(settings);
  if (database.kind === 'store') {
    const { name, fingerprint } = database;
    const all = await inWords(() => generations.all(name));
    // As the run had it, if that is still there.
    const store = all.find((each) => each.fingerprint === fingerprint) ?? all[0];
    return store === undefined ? null : describeStore(store);
  }
  return inWords(() => imported.description(database.id));
}

function sourcesOf(items: readonly DatasetItem[]): readonly DatabaseSource[] {
  const sources = items.flatMap(({ database }) => database ?? []);
  return [...new Map(sources.map((source) => [databaseKey(source), source])).values()];
}

function requireStoreQuestions(
  items: readonly DatasetItem[],
  method: string,
  reads: 'papers' | 'stored-database' | 'any' | 'nothing',
  store: QuestionsToAsk['store'],
  path: string,
): void {
  const item = items.find(({ database }) => database !== undefined);
  if (item) {
    throw new UserError(
      `${path}: question ${item.uuid} names a database, which method ${method} does not read: choose --method no-interaction, sequential, iterative or text-to-sql`,
    );
  }
  if (reads === 'nothing' || reads === 'any') return;
  if (store === null) {
    throw new UserError(
      reads === 'papers'
        ? `method ${method} reads papers: name their store with --store, or with \`store\` in an evaluation file`
        : `method ${method} searches the database of a store: name it with --store, or with \`store\` in an evaluation file`,
    );
  }
  if (reads === 'papers' && store.database !== undefined) {
    throw new UserError(
      `method ${method} reads papers, and store ${store.name} holds a database: choose --method database_react, no-interaction, sequential, iterative or text-to-sql`,
    );
  }
  if (reads === 'stored-database' && store.database === undefined) {
    throw new UserError(
      `method ${method} is for stores of a database, and store ${store.name} holds papers: choose --method neusym_rag, which has the same actions`,
    );
  }
}

function requireDatabaseQuestions(
  items: readonly DatasetItem[],
  method: string,
  hasStore: boolean,
  path: string,
): void {
  const without = items.filter(({ database }) => database === undefined);
  if (without.length === 0 || hasStore) return;
  const shown = without.slice(0, 5).map(({ uuid }) => uuid);
  const more = without.length - shown.length;
  const names = `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const [subject, verb] = without.length === 1 ? ['question', 'names'] : ['questions', 'name'];
  throw new UserError(
    `${path}: ${subject} ${names} ${verb} no database, and method ${method} needs one: give each a "database", or all of them a --store`,
  );
}
