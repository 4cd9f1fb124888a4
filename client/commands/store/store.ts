import type { Command } from 'commander';
import type { DescribedDatabase } from '../../../domain/stores/database.js';
import type { StoredPaper, StoreManifest } from '../../../domain/stores/store-manifest.js';
import { UserError } from '../../../domain/user-error.js';
import { alignColumns } from '../../views/terminal.js';
import { loadEnvironment } from '../../services/environment.js';
import { importDatabases } from '../../runs/database-qa/import-databases.js';
import { listStores, openStore } from '../../runs/store-files.js';
import { registerCheck } from './check.js';
import { registerDrop } from './drop.js';

interface ReadFlags {
  readonly json?: true;
}

export function registerStore(program: Command): void {
  const store = program
    .command('store')
    .description('what stores there are, what they hold, and whether they are whole');
  store
    .command('list')
    .description('all stores')
    .option('--json', 'one JSON document')
    .action(({ json }: ReadFlags) => {
      const stores = listStores(loadEnvironment().TURNWISE_HOME);
      console.log(json ? JSON.stringify(stores, null, 1) : inWords(stores));
    });
  store
    .command('show')
    .description('the papers and collections of a store, or the tables of a database')
    .argument(
      '<store>',
      'a name; or a path, with a folder or an ending, such as ./shop or shop.sqlite',
    )
    .option('--json', 'one JSON document')
    .action(async (name: string, { json }: ReadFlags) => {
      const home = loadEnvironment().TURNWISE_HOME;
      if (/[./\\]/.test(name)) {
        const database = await importOne(home, name);
        console.log(json ? JSON.stringify(database, null, 1) : databaseText(database));
        return;
      }
      const manifest = openStore(home, name);
      console.log(json ? JSON.stringify(manifest, null, 1) : contents(manifest));
    });
  registerCheck(store);
  registerDrop(store);
}

async function importOne(home: string, path: string): Promise<DescribedDatabase> {
  const imported = await importDatabases({ home, folder: '', sources: [{ path }] });
  for (const result of imported.values()) {
    if (result.kind === 'imported') return result.description;
    throw new UserError(result.message);
  }
  throw new Error(`the import said nothing of ${path}`);
}

function inWords(stores: readonly StoreManifest[]): string {
  if (stores.length === 0) return 'no stores yet: `turnwise ingest PATH… --store NAME` makes one';
  const rows = stores.map(({ name, papers, builtAt }) => [
    name,
    String(papers.length),
    builtAt.slice(0, 16).replace('T', ' '),
  ]);
  return alignColumns([['store', 'papers', 'built (UTC)'], ...rows]);
}

function contents({ papers, collections }: StoreManifest): string {
  const hasParsers = papers.some(({ parsers }) => parsers !== undefined);
  return [
    alignColumns([
      ['paper', 'pages', ...(hasParsers ? ['read with'] : []), 'file', 'title'],
      ...papers.map(({ paperId, pages, parsers = [], file, title }) => [
        paperId,
        String(pages),
        ...(hasParsers ? [parsers.map(({ parser }) => parser).join(', ')] : []),
        file,
        title,
      ]),
    ]),
    ...papers.flatMap(readByModelLine),
    '',
    alignColumns([
      ['collection', 'vectors by', 'rows'],
      ...collections.map(({ name, embedder, rows }) => [name, embedder, String(rows)]),
    ]),
  ].join('\n');
}

function readByModelLine({ file, enrichment }: StoredPaper): readonly string[] {
  const read = enrichment?.readByModel ?? [];
  if (read.length === 0) return [];
  return [`${file}: a model has read the text of page ${read.join(', ')}`];
}

function databaseText({ name, tables }: DescribedDatabase): string {
  const shown = tables.map(({ name: table, rows, columns, description }) => {
    const lines = columns.map((column) => [
      `  ${column.name}`,
      column.type,
      column.misfit === undefined ? '' : `declared ${column.misfit}, which some values do not fit`,
    ]);
    const about = description === '' ? '' : `: ${description}`;
    return `${table}, ${String(rows)} rows${about}\n${alignColumns(lines)}`;
  });
  return [`${name}, ${tables.length} tables`, ...shown].join('\n\n');
}
