import type { Command } from 'commander';
import type { StoreManifest } from '../../domain/stores/store-manifest.js';
import { alignColumns } from '../views/terminal.js';
import { loadEnvironment } from '../services/environment.js';
import { listStores, openStore } from '../runs/store-files.js';

interface ReadFlags {
  readonly json?: true;
}

export function registerStore(program: Command): void {
  const store = program.command('store').description('what stores there are and what they hold');
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
    .description('the papers and collections of a store')
    .argument('<store>')
    .option('--json', 'one JSON document')
    .action((name: string, { json }: ReadFlags) => {
      const manifest = openStore(loadEnvironment().TURNWISE_HOME, name);
      console.log(json ? JSON.stringify(manifest, null, 1) : contents(manifest));
    });
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
  return [
    alignColumns([
      ['paper', 'pages', 'file', 'title'],
      ...papers.map(({ paperId, pages, file, title }) => [paperId, String(pages), file, title]),
    ]),
    '',
    alignColumns([
      ['collection', 'vectors by', 'rows'],
      ...collections.map(({ name, embedder, rows }) => [name, embedder, String(rows)]),
    ]),
  ].join('\n');
}
