import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { storeNameSchema, type StoreName } from '../../domain/ids.js';
import {
  conflictPolicySchema,
  defaultConflictPolicy,
  type ConflictPolicy,
} from '../../domain/stores/add-papers.js';
import { loadEnvironment } from '../services/environment.js';
import { ingestPapers } from '../runs/ingest-papers.js';
import { parseArgument } from './shared/arguments.js';
import { withSession } from './shared/execute.js';
import { exitStatus, UserError } from '../../domain/user-error.js';

interface IngestFlags {
  readonly store: StoreName;
  readonly onConflict: ConflictPolicy;
  readonly json?: true;
}

export function registerIngest(program: Command): void {
  program
    .command('ingest')
    .description('PDFs into the tables and collections of a store')
    .argument('<path...>', 'PDFs, folders of PDFs, or lists (.txt) with a path a line')
    .requiredOption('--store <name>', 'made where it is missing', parseArgument(storeNameSchema))
    .addOption(
      new Option('--on-conflict <policy>', 'for a PDF with the title of another paper')
        .choices(conflictPolicySchema.options)
        .default(defaultConflictPolicy),
    )
    .option('--json', 'one JSON document')
    .action(ingest);
}

async function ingest(
  paths: readonly string[],
  { store, onConflict, json }: IngestFlags,
): Promise<void> {
  const environment = loadEnvironment();
  const files = [...new Set(paths.flatMap(pdfsAt))];
  if (files.length === 0) {
    throw new UserError(`there is no PDF in ${paths.join(', ')}`);
  }
  const result = await withSession(environment, (session) =>
    ingestPapers(session, environment, store, files, onConflict),
  );
  if (json) {
    console.log(JSON.stringify(result, null, 1));
  } else {
    console.log(
      `store ${store}: ${papers(result.ingested.length)} ingested, ${result.unchanged.length} there already`,
    );
  }
  for (const { file, reason } of result.failed) console.error(`${file}: ${reason}`);
  if (result.failed.length > 0) process.exitCode = exitStatus.badInput;
}

const papers = (count: number): string => `${count} ${count === 1 ? 'paper' : 'papers'}`;

/** Absolute paths, in a stable order. Throws UserError where there is nothing to be read. */
function pdfsAt(path: string): readonly string[] {
  const absolute = resolve(path);
  const stat = statSync(absolute, { throwIfNoEntry: false });
  if (!stat) throw new UserError(`there is no file or folder ${path}`);
  if (stat.isDirectory()) {
    return readdirSync(absolute, { recursive: true, encoding: 'utf8' })
      .filter((name) => extname(name).toLowerCase() === '.pdf')
      .sort()
      .map((name) => join(absolute, name));
  }
  if (extname(absolute) !== '.txt') return [absolute];
  return readFileSync(absolute, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .flatMap(pdfsAt);
}
