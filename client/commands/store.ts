import type { Command } from 'commander';
import { loadEnvironment } from '../environment.js';
import { listStores, openStore } from '../store-files.js';

export function registerStore(program: Command): void {
  const store = program.command('store').description('what stores there are and what they hold');
  store
    .command('list')
    .description('all stores')
    .option('--json', 'one JSON document', false)
    .action(({ json }: { readonly json: boolean }) => {
      const stores = listStores(loadEnvironment().TURNWISE_HOME);
      console.log(
        json
          ? JSON.stringify(stores, null, 1)
          : stores
              .map(
                ({ name, papers, builtAt }) =>
                  `${name}  ${papers.length} papers  ${builtAt.slice(0, 16)}`,
              )
              .join('\n') || 'no stores yet: `turnwise ingest PATH… --store NAME` makes one',
      );
    });
  store
    .command('show')
    .description('the papers and collections of a store')
    .argument('<store>')
    .option('--json', 'one JSON document', false)
    .action((name: string, { json }: { readonly json: boolean }) => {
      const manifest = openStore(loadEnvironment().TURNWISE_HOME, name);
      if (json) {
        console.log(JSON.stringify(manifest, null, 1));
        return;
      }
      for (const { paperId, title, pages, file } of manifest.papers) {
        console.log(`${paperId}  ${title}  (${pages} pages, ${file})`);
      }
      for (const { name: collection, embedder, rows } of manifest.collections) {
        console.log(`${collection}  ${embedder}  ${rows} rows`);
      }
    });
}
