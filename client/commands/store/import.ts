import { Option, type Command } from 'commander';
import { counted } from '../../../domain/formats/text.js';
import { storeNameSchema, type StoreName } from '../../../domain/ids.js';
import { conflictPolicySchema, type ConflictPolicy } from '../../../domain/stores/add-papers.js';
import {
  importConflictPolicy,
  type Gap,
  type GapKind,
  type ImportSource,
} from '../../../domain/stores/imports/import-papers.js';
import type { Environment } from '../../../domain/settings.js';
import type { DatabaseId } from '../../../domain/stores/database.js';
import { exitStatus } from '../../../domain/user-error.js';
import { copyDatabase, importDatabase, importPapers } from '../../runs/stores/store-workflows.js';
import { locateImport, papersOf } from '../../runs/stores/locate-import.js';
import { openStore, requireContents } from '../../runs/stores/store-files.js';
import { loadEnvironment } from '../../services/environment.js';
import { databaseLine } from '../../views/stores/database-text.js';
import { parseArgument } from '../shared/arguments.js';
import { withSession } from '../shared/execute.js';

interface ImportFlags {
  readonly store: StoreName;
  readonly onConflict: ConflictPolicy;
  readonly json?: true;
}

export function registerImport(store: Command): void {
  store
    .command('import')
    .description('a database, or papers that another system has read with their ids, into a store')
    .argument(
      '<path...>',
      'a database of DuckDB or SQLite, a CSV or Parquet file or a folder of them, a .sql script; or papers: a .duckdb file, bm25.json, or folders with them or with processed_data',
    )
    .requiredOption('--store <name>', 'made where it is missing', parseArgument(storeNameSchema))
    .addOption(
      new Option('--on-conflict <policy>', 'for a paper with the id of another paper')
        .choices(conflictPolicySchema.options)
        .default(importConflictPolicy),
    )
    .option('--json', 'one JSON document')
    .action(importInto);
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
  { store, json }: ImportFlags,
): Promise<void> {
  await requireContents(environment, store, 'database');
  console.error(`${path} is a database: it becomes the content of store ${store}`);
  const isNew = await withSession(environment, (session) =>
    importDatabase(session, store, database),
  );
  const manifest = await openStore(environment, store);
  const { database: held, collections } = manifest;
  if (held === undefined) throw new Error(`store ${store} holds no database after the import`);
  const vectors = collections.map(({ name, rows }) => ({ name, rows }));
  if (json) {
    const { id, name, tables, searched } = held;
    console.log(JSON.stringify({ store, isNew, id, name, tables, searched, vectors }, null, 1));
    return;
  }
  const counts = vectors.map(({ name, rows }) => `${rows} vectors in ${name}`);
  const what = isNew ? `store ${store}` : `store ${store} is as it was`;
  console.log([`${what}: ${databaseLine(held)}`, ...counts].join('\n  '));
}

async function importPapersInto(
  environment: Environment,
  source: ImportSource,
  { store, onConflict, json }: ImportFlags,
): Promise<void> {
  await requireContents(environment, store, 'papers');
  const result = await withSession(environment, (session) =>
    importPapers(session, environment, store, source, onConflict),
  );
  if (json) {
    console.log(JSON.stringify(result, null, 1));
  } else {
    const { ingested, unchanged, gaps } = result;
    const counts = `${counted(ingested.length, 'paper')} imported, ${unchanged.length} there already`;
    console.log([`store ${store}: ${counts}`, ...gaps.map(gapText)].join('\n'));
  }
  for (const { file, reason } of result.failed) console.error(`${file}: ${reason}`);
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
