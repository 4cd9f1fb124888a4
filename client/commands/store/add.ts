import type { CommandLine } from '../shared/command-line.js';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { z } from 'zod';
import { storeNameSchema } from '../../../domain/ids.js';
import { jsonOption, option, type FlagsOf } from '../../../domain/option.js';
import { conflictPolicySchema, defaultConflictPolicy } from '../../../domain/stores/add-papers.js';
import { parserNames, parserSchema, type Parser } from '../../../domain/stores/paper-parsers.js';
import { embedderOption } from '../../../domain/embedders.js';
import type { StoredPaper } from '../../../domain/stores/store-manifest.js';
import { loadEnvironment } from '../../services/environment.js';
import { ingestPapers } from '../../runs/stores/store-workflows.js';
import { embedderFor, readStore, requireContents } from '../../runs/stores/store-files.js';
import { withSession } from '../shared/execute.js';
import { exitStatus, UserError } from '../../../domain/user-error.js';
import { print, printJson, warn } from '../../services/tell.js';

const parserFlags = [...parserSchema.options, 'none'] as const;
const parserChoices = `${parserFlags.slice(0, -1).join(', ')} or ${parserFlags.at(-1) ?? ''}`;

const addedOptions = {
  store: option('<name>', 'made where it is missing', storeNameSchema),
  onConflict: option(
    '<policy>',
    'for a PDF with the title of another paper',
    conflictPolicySchema.default(defaultConflictPolicy),
  ),
  parser: option(
    '<name>',
    `another parser that reads the PDFs: ${parserChoices}; may be repeated, and of one part the last one counts (default: mineru and latex where their files lie beside a PDF)`,
    z.array(z.enum(parserFlags, `must be ${parserChoices}`)).optional(),
  ),
  ...embedderOption,
  scans: option(
    '<choice>',
    'what becomes of a PDF without text: refuse (default), or keep it for models to read',
    z.enum(['refuse', 'keep'], 'must be refuse or keep').optional(),
  ),
  ...jsonOption,
};
type AddFlags = FlagsOf<typeof addedOptions>;

export function registerAdd(store: CommandLine): void {
  store
    .command('add')
    .description('read PDFs into the tables and collections of a store')
    .argument('<path...>', 'PDFs, folders of PDFs, or lists (.txt) with a path a line')
    .takes(addedOptions)
    .action(add);
}

async function add(
  paths: readonly string[],
  { store, onConflict, parser, embedder: asked, scans, json }: AddFlags,
): Promise<void> {
  const environment = loadEnvironment();
  await requireContents(environment, store, 'papers');
  const files = [...new Set(paths.flatMap(pdfsAt))];
  if (files.length === 0) {
    throw new UserError(`there is no PDF in ${paths.join(', ')}`);
  }
  const embedder = await embedderFor(environment, store, asked);
  const how = { embedder, onConflict, ...parsersOf(parser), keepsScans: scans === 'keep' };
  const result = await withSession(environment, (session) =>
    ingestPapers(session, environment, store, files, how),
  );
  if (json) {
    printJson(result);
  } else {
    print(
      `store ${store}: ${papers(result.ingested.length)} ingested, ${result.unchanged.length} there already, vectors of ${embedder}`,
    );
    const present = await readStore(environment, store);
    const ingested = new Set(result.ingested);
    for (const line of parserLines(present?.papers.filter(({ path = '' }) => ingested.has(path)))) {
      print(line);
    }
  }
  for (const { file, reason } of result.failed) warn(`${file}: ${reason}`);
  if (result.failed.length > 0) process.exitCode = exitStatus.badInput;
}

/** `none` stands alone: the PDFs are read without other parsers, even if their files lie beside them. */
function parsersOf(named: AddFlags['parser']): { readonly parsers?: readonly Parser[] } {
  if (named === undefined) return {};
  const parsers = named.filter((parser) => parser !== 'none');
  if (parsers.length > 0 && parsers.length < named.length) {
    throw new UserError('--parser none goes with no other parser');
  }
  return { parsers: [...new Set(parsers)] };
}

/** How many papers have parts by each parser, e.g. `LaTeX source: 2 papers`. */
const parserLines = (read: readonly StoredPaper[] = []): readonly string[] =>
  parserSchema.options.flatMap((parser) => {
    const count = read.filter(({ parsers }) =>
      parsers?.some((one) => one.parser === parser),
    ).length;
    return count === 0 ? [] : [`${parserNames[parser]}: ${papers(count)}`];
  });

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
