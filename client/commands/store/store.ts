import type { Command } from 'commander';
import { counted } from '../../../domain/formats/text.js';
import type { StoreManifest } from '../../../domain/stores/store-manifest.js';
import { alignColumns } from '../../views/terminal.js';
import { loadEnvironment } from '../../services/environment.js';
import { printResult } from '../../services/tell.js';
import { listStores } from '../../runs/stores/store-files.js';
import { registerCheck } from './check.js';
import { registerDrop } from './drop.js';
import { registerShow } from './show.js';
import { registerImport } from './import.js';

interface ReadFlags {
  readonly json?: true;
}

export function registerStore(program: Command): void {
  const store = program
    .command('store')
    .description(
      'what stores there are, what they hold, imports into them, and whether they are whole',
    );
  store
    .command('list')
    .description('all stores')
    .option('--json', 'one JSON document')
    .action(async ({ json }: ReadFlags) => {
      const stores = await listStores(loadEnvironment());
      printResult(json, stores, inWords(stores));
    });
  registerShow(store);
  registerImport(store);
  registerCheck(store);
  registerDrop(store);
}

function inWords(stores: readonly StoreManifest[]): string {
  if (stores.length === 0) return 'no stores yet: `turnwise ingest PATH… --store NAME` makes one';
  const rows = stores.map(({ name, papers, database, builtAt }) => [
    name,
    database === undefined
      ? counted(papers.length, 'paper')
      : counted(database.tables.length, 'table'),
    builtAt.slice(0, 16).replace('T', ' '),
  ]);
  return alignColumns([['store', 'holds', 'built (UTC)'], ...rows]);
}
