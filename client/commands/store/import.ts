import { Option, type Command } from 'commander';
import { storeNameSchema, type StoreName } from '../../../domain/ids.js';
import { conflictPolicySchema, type ConflictPolicy } from '../../../domain/stores/add-papers.js';
import {
  importConflictPolicy,
  type Gap,
  type GapKind,
} from '../../../domain/stores/imports/import-papers.js';
import { exitStatus } from '../../../domain/user-error.js';
import { importPapers, locateImport } from '../../runs/stores/import-papers.js';
import { loadEnvironment } from '../../services/environment.js';
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
    .description('papers that another system has read, with their ids, into a store')
    .argument('<path...>', '.duckdb files, bm25.json, or folders with them or with processed_data')
    .requiredOption('--store <name>', 'made where it is missing', parseArgument(storeNameSchema))
    .addOption(
      new Option('--on-conflict <policy>', 'for a paper with the id of another paper')
        .choices(conflictPolicySchema.options)
        .default(importConflictPolicy),
    )
    .option('--json', 'one JSON document')
    .action(importInto);
}

async function importInto(
  paths: readonly string[],
  { store, onConflict, json }: ImportFlags,
): Promise<void> {
  const environment = loadEnvironment();
  const source = locateImport(paths);
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

const counted = (count: number, thing: string): string =>
  `${count} ${thing}${count === 1 ? '' : 's'}`;
