import type { Command } from 'commander';
import { counted } from '../../../domain/formats/text.js';
import { storeNameSchema, type StoreName } from '../../../domain/ids.js';
import { flag, type FlagsOf, formatOptions, jsonOption, option } from '../../../domain/option.js';
import type { Environment } from '../../../domain/settings.js';
import { conflictPolicySchema } from '../../../domain/stores/add-papers.js';
import { embedderOption } from '../../../domain/embedders.js';
import type { DatabaseId } from '../../../domain/stores/database.js';
import {
  importConflictPolicy,
  type Gap,
  type GapKind,
  type ImportSource,
} from '../../../domain/stores/ingestion.js';
import { exitStatus, UserError } from '../../../domain/user-error.js';
import type { StoreSettings } from '../../../storage/stores/store-place.js';
import { closedWorkflowsOfStore, deleteHistories } from '../../runs/removal/histories.js';
import {
  copyDatabase,
  importDatabase,
  importPapers,
  checkStore,
  dropStore,
  isStoreFolder,
} from '../../runs/stores/store-workflows.js';
import { locateImport, papersOf } from '../../runs/stores/locate-import.js';
import {
  embedderFor,
  listStores,
  openStore,
  requireContents,
  theStore,
} from '../../runs/stores/store-files.js';
import { loadEnvironment } from '../../services/environment.js';
import { note, print, printJson, printResult, warn } from '../../services/tell.js';
import { printSections } from '../../views/print-sections.js';
import { databaseLine, storesSection } from '../../views/sections/store.js';
import { storeCheckSection } from '../../views/sections/store-check.js';
import { addOptions, parseArgument } from '../shared/arguments.js';
import { isToRemove, withSession } from '../shared/execute.js';
import { registerAdd } from './add.js';
import { registerEnrich } from './enrich.js';
import { registerShow } from './show.js';

const importOptions = {
  store: option('<name>', 'made where it is missing', storeNameSchema),
  onConflict: option(
    '<policy>',
    'for a paper with the id of another paper',
    conflictPolicySchema.default(importConflictPolicy),
  ),
  ...embedderOption,
  ...jsonOption,
};
type ImportFlags = FlagsOf<typeof importOptions>;

const checkOptions = {
  repair: flag('read lost PDFs again, build the store anew, remove leftovers'),
  ...formatOptions,
};

const removeOptions = {
  yes: flag('without asking; needed where there is no terminal'),
  ...jsonOption,
};

export function registerStore(program: Command): void {
  const store = program
    .command('store')
    .description(
      'what stores there are, what they hold, imports into them, and whether they are whole',
    );
  addOptions(store.command('list').description('all stores'), formatOptions).action(list);
  registerShow(store);
  registerAdd(store);
  const toImport = store
    .command('import')
    .description('a database, or papers that another system has read with their ids, into a store')
    .argument(
      '<path...>',
      'a database of DuckDB or SQLite, a file of CSV, JSON lines or Parquet or a folder of them, a .sql script; or papers: a .duckdb file, bm25.json, or folders with them or with processed_data',
    );
  addOptions(toImport, importOptions).action(importInto);
  registerEnrich(store);
  const toCheck = store
    .command('check')
    .description('compare the texts, tables and collections of a store, and mend what disagrees')
    .argument('[store]', 'its name (default: the only store)');
  addOptions(toCheck, checkOptions).action(check);
  const toRemove = store
    .command('rm')
    .description(
      'remove a store: its tables, its kept texts and PDFs, its collections, and the histories of its ingestions',
    )
    .argument('<store>', 'its name', parseArgument(storeNameSchema));
  addOptions(toRemove, removeOptions).action(remove);
}

async function list(flags: FlagsOf<typeof formatOptions>): Promise<void> {
  const data = await listStores(loadEnvironment());
  printSections(flags, { title: 'Stores', sections: [storesSection(data)], data });
}

async function check(name: string | undefined, flags: FlagsOf<typeof checkOptions>): Promise<void> {
  const environment = loadEnvironment();
  const { name: store } = await theStore(environment, name);
  const result = await withSession(environment, (session) =>
    checkStore(session, environment, store, flags.repair ?? false),
  );
  printSections(flags, {
    title: `Check of store ${store}`,
    sections: [storeCheckSection(store, result)],
    data: { store, ...result },
  });
  const { findings } = result.left ?? result.found;
  process.exitCode = findings.length === 0 ? exitStatus.done : exitStatus.storeDisagrees;
}

async function remove(
  store: StoreName,
  { yes, json }: FlagsOf<typeof removeOptions>,
): Promise<void> {
  const environment = loadEnvironment();
  const what = await contentsOf(environment, store);
  if (!(await isToRemove(what, yes))) return;
  const { collections } = await withSession(environment, async (session) => {
    const dropped = await dropStore(session, environment, store);
    await deleteHistories(session.client, closedWorkflowsOfStore(session.client, store));
    return dropped;
  });
  printResult(json, { store, collections }, `removed ${what}`);
  if (collections === null) {
    note(
      `the manifest of store ${store} was lost or damaged: its collections in Milvus, if it had any, are still there`,
    );
  }
}

/** What there is to remove, in words. Throws UserError where there is nothing. */
async function contentsOf(settings: StoreSettings, store: StoreName): Promise<string> {
  try {
    const { papers, database } = await openStore(settings, store);
    if (database !== undefined) return `store ${store} with database ${database.name}`;
    return `store ${store} with ${papers.length} ${papers.length === 1 ? 'paper' : 'papers'}`;
  } catch (error) {
    if (!(error instanceof UserError) || !(await isStoreFolder(settings, store))) throw error;
    return `what is left of store ${store}`;
  }
}

async function importInto(paths: readonly string[], flags: ImportFlags): Promise<void> {
  const environment = loadEnvironment();
  const located = locateImport(paths);
  if (located.kind === 'papers') return importPapersInto(environment, located.source, flags);
  const database = await copyDatabase(environment, located.path);
  return database === null
    ? importPapersInto(environment, papersOf(located.path), flags)
    : importDatabaseInto(environment, located.path, database, flags);
}

async function importDatabaseInto(
  environment: Environment,
  path: string,
  database: DatabaseId,
  { store, embedder: asked, json }: ImportFlags,
): Promise<void> {
  await requireContents(environment, store, 'database');
  note(`${path} is a database: it becomes the content of store ${store}`);
  const embedder = await embedderFor(environment, store, asked);
  const isNew = await withSession(environment, (session) =>
    importDatabase(session, store, database, embedder),
  );
  const manifest = await openStore(environment, store);
  const { database: held, collections } = manifest;
  if (held === undefined) throw new Error(`store ${store} holds no database after the import`);
  const vectors = collections.map(({ name, rows }) => ({ name, rows }));
  if (json) {
    const { id, name, tables, searched } = held;
    printJson({ store, isNew, id, name, tables, searched, vectors });
    return;
  }
  const counts = vectors.map(({ name, rows }) => `${rows} vectors in ${name}`);
  const what = isNew ? `store ${store}` : `store ${store} is as it was`;
  print([`${what}: ${databaseLine(held)}`, ...counts].join('\n  '));
}

async function importPapersInto(
  environment: Environment,
  source: ImportSource,
  { store, onConflict, embedder: asked, json }: ImportFlags,
): Promise<void> {
  await requireContents(environment, store, 'papers');
  const how = { embedder: await embedderFor(environment, store, asked), onConflict };
  const result = await withSession(environment, (session) =>
    importPapers(session, environment, store, source, how),
  );
  if (json) {
    printJson(result);
  } else {
    const { ingested, unchanged, gaps } = result;
    const counts = `${counted(ingested.length, 'paper')} imported, ${unchanged.length} there already, vectors of ${how.embedder}`;
    print([`store ${store}: ${counts}`, ...gaps.map(gapText)].join('\n'));
  }
  for (const { file, reason } of result.failed) warn(`${file}: ${reason}`);
  if (result.failed.length > 0) process.exitCode = exitStatus.badInput;
}

const words: Readonly<Record<GapKind, (count: number) => string>> = {
  pages: (count) => `${counted(count, 'page')} missing`,
  chunks: () => 'no passages',
  sections: () => 'no sections',
  pdf: () => 'no PDF, and so no pictures of pages',
  rows: (count) => `${counted(count, 'broken row')} left out`,
  'pages-of-rows': (count) => `${counted(count, 'row')} without a page`,
  'ends-of-texts': (count) => `${counted(count, 'text')} cut at 16,000 characters`,
};

const gapText = ({ kind, count, papers, example }: Gap): string => {
  const where = papers === 0 ? example : `${counted(papers, 'paper')}, such as ${example}`;
  return `  ${words[kind](count)}: ${where}`;
};
