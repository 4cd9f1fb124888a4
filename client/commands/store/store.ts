import { InvalidArgumentError } from 'commander';
import { counted } from '../../../domain/formats/text.js';
import { storeNameSchema, type StoreName } from '../../../domain/ids.js';
import { flag, type FlagsOf, formatOptions, jsonOption, option } from '../../../domain/option.js';
import { type Environment, storageOf } from '../../../domain/settings.js';
import { conflictPolicySchema } from '../../../domain/stores/add-papers.js';
import { embedderOption } from '../../../domain/embedders.js';
import type { DatabaseId, DescribedDatabase } from '../../../domain/stores/database.js';
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
import {
  databaseLine,
  storesSection,
  storeCheckSection,
  databaseSection,
  storeSections,
} from '../../views/sections/store.js';
import { parseArgument, type CommandLine } from '../shared/command-line.js';
import { isToRemove, withSession } from '../shared/execute.js';
import { registerAdd } from './add.js';
import { registerEnrich } from './enrich.js';
import { writeFileSync } from 'node:fs';
import { z } from 'zod';
import { compareItems } from '../../../domain/stores/inspection/compare-items.js';
import { shownPaper } from '../../../domain/stores/inspection/shown-paper.js';
import type { StoredPaper, StoreManifest } from '../../../domain/stores/store-manifest.js';
import { importDatabases } from '../../runs/database-qa/import-databases.js';
import {
  findPaper,
  findSamePaper,
  readPaper,
  type ReadablePaper,
} from '../../runs/stores/store-papers.js';
import { readPaperPage, paperDocument } from '../../views/paper/paper-page.js';
import { differencesText, paperText } from '../../views/paper/paper-text.js';

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

export function registerStore(program: CommandLine): void {
  const store = program
    .command('store')
    .description(
      'what stores there are, what they hold, imports into them, and whether they are whole',
    );
  store.command('list').description('all stores').takes(formatOptions).action(list);
  registerShow(store);
  registerAdd(store);
  store
    .command('import')
    .description('a database, or papers that another system has read with their ids, into a store')
    .argument(
      '<path...>',
      'a database of DuckDB or SQLite, a file of CSV, JSON lines or Parquet or a folder of them, a .sql script; or papers: a .duckdb file, bm25.json, or folders with them or with processed_data',
    )
    .takes(importOptions)
    .action(importInto);
  registerEnrich(store);
  store
    .command('check')
    .description('compare the texts, tables and collections of a store, and mend what disagrees')
    .argument('[store]', 'its name (default: the only store)')
    .takes(checkOptions)
    .action(check);
  store
    .command('rm')
    .description(
      'remove a store: its tables, its kept texts and PDFs, its collections, and the histories of its ingestions',
    )
    .argument('<store>', 'its name', parseArgument(storeNameSchema))
    .takes(removeOptions)
    .action(remove);
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

type PageRange = readonly [first: number, last: number];

const showOptions = {
  paper: option('<paper>', 'what the store has of a paper: its id, file name or title'),
  html: option('<file>', 'of the paper, a page with pictures and what was found where'),
  pages: option(
    '<pages>',
    'only these in the page, such as 1-20,35',
    z.string().transform(pageRanges).optional(),
  ),
  against: option('<store>', 'compare the paper with what another store has of it'),
  ...formatOptions,
};

function registerShow(store: CommandLine): void {
  store
    .command('show')
    .description('the papers and collections of a store, or one paper; or the tables of a database')
    .argument(
      '[store]',
      'a name (default: the only store); or a path, with a folder or an ending, such as ./shop or shop.sqlite',
    )
    .takes(showOptions)
    .action(show);
}

async function show(given: string | undefined, flags: FlagsOf<typeof showOptions>): Promise<void> {
  const environment = loadEnvironment();
  const { format, paper, html, pages, against } = flags;
  const json = flags.json ?? format === 'json';
  for (const [flag, needs, given] of [
    ['--html', '--paper', html !== undefined && paper === undefined],
    ['--against', '--paper', against !== undefined && paper === undefined],
    ['--pages', '--html', pages !== undefined && html === undefined],
  ] as const) {
    if (given) throw new UserError(`${flag} needs ${needs}`);
  }
  if (json && against !== undefined) throw new UserError('--against prints no JSON');
  if (given !== undefined && /[./\\]/.test(given)) {
    if (paper !== undefined) throw new UserError(`${given} is a database and holds no papers`);
    const database = await importOne(environment, given);
    const sections = [databaseSection(database)];
    printSections(flags, { title: `Database ${given}`, sections, data: database });
    return;
  }
  const manifest = await theStore(environment, given);
  if (paper === undefined) {
    const sections = storeSections(manifest);
    printSections(flags, { title: `Store ${manifest.name}`, sections, data: manifest });
    return;
  }
  if (format === 'markdown' || format === 'html') {
    throw new UserError('of a --paper is printed text or --json; --html writes a page');
  }
  if (manifest.database !== undefined) {
    throw new UserError(`store ${manifest.name} holds a database and no papers`);
  }
  const wanted = findPaper(manifest, paper);
  const kept = await readPaper(environment, manifest, wanted);
  if (json) printJson('paper' in kept ? kept.paper : kept.rows);
  const other = against === undefined ? null : await otherPaper(environment, against, wanted);
  if (html === undefined) {
    if (!json) print(textOf(kept, manifest, other));
    return;
  }
  const page = await readPaperPage(
    environment,
    manifest,
    wanted,
    (number) => pages?.some(([first, last]) => first <= number && number <= last) ?? true,
    other && { store: other.store, paper: shownPaper(other.kept) },
  );
  const text = paperDocument(page);
  writeFileSync(html, text);
  const size = (Buffer.byteLength(text) / 1e6).toFixed(1);
  note(`wrote ${html}: ${page.pages.length} pages, ${size} MB`);
}

interface OtherPaper {
  readonly store: string;
  readonly kept: ReadablePaper;
}

async function otherPaper(
  settings: StoreSettings,
  against: string,
  paper: StoredPaper,
): Promise<OtherPaper> {
  const store = await openStore(settings, against);
  const kept = await readPaper(settings, store, findSamePaper(store, paper));
  return { store: store.name, kept };
}

function textOf(kept: ReadablePaper, { name }: StoreManifest, other: OtherPaper | null): string {
  const paper = shownPaper(kept);
  if (other === null) return paperText(paper);
  const changes = compareItems(shownPaper(other.kept).items, paper.items);
  return differencesText(changes, [name, other.store]);
}

function pageRanges(text: string): readonly PageRange[] {
  return text.split(',').map((part): PageRange => {
    const [, first = '', last = first] = /^\s*(\d{1,6})(?:-(\d{1,6}))?\s*$/.exec(part) ?? [];
    const range = [Number(first), Number(last)] as const;
    if (first === '' || range[0] < 1 || range[1] < range[0]) {
      throw new InvalidArgumentError('Pages are numbers from 1 and ranges, such as 1-20,35.');
    }
    return range;
  });
}

async function importOne(settings: StoreSettings, path: string): Promise<DescribedDatabase> {
  const imported = await importDatabases({
    home: settings.TURNWISE_HOME,
    storage: storageOf(settings),
    folder: '',
    sources: [{ path }],
  });
  for (const result of imported.values()) {
    if (result.kind === 'imported') return result.description;
    throw new UserError(result.message);
  }
  throw new Error(`the import said nothing of ${path}`);
}
