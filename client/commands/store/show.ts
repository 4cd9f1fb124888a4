import { writeFileSync } from 'node:fs';
import { InvalidArgumentError, type Command } from 'commander';
import { z } from 'zod';
import { type FlagsOf, formatOptions, option } from '../../../domain/option.js';
import { addOptions } from '../shared/arguments.js';
import type { DescribedDatabase } from '../../../domain/stores/database.js';
import { compareItems } from '../../../domain/stores/inspection/compare-items.js';
import { shownPaper } from '../../../domain/stores/inspection/shown-paper.js';
import type { StoredPaper, StoreManifest } from '../../../domain/stores/store-manifest.js';
import { storageOf } from '../../../domain/settings.js';
import type { StoreSettings } from '../../../storage/stores/store-place.js';
import { UserError } from '../../../domain/user-error.js';
import { importDatabases } from '../../runs/database-qa/import-databases.js';
import { openStore, theStore } from '../../runs/stores/store-files.js';
import {
  findPaper,
  findSamePaper,
  readPaper,
  type ReadablePaper,
} from '../../runs/stores/store-papers.js';
import { loadEnvironment } from '../../services/environment.js';
import { note, print, printJson } from '../../services/tell.js';
import { readPaperPage } from '../../views/page/paper/read-paper-page.js';
import { paperDocument } from '../../views/page/paper/write-paper.js';
import { differencesText, paperText } from '../../views/paper/paper-text.js';
import { printSections } from '../../views/print-sections.js';
import { databaseSection, storeSections } from '../../views/sections/store.js';

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

export function registerShow(store: Command): void {
  const command = store
    .command('show')
    .description('the papers and collections of a store, or one paper; or the tables of a database')
    .argument(
      '[store]',
      'a name (default: the only store); or a path, with a folder or an ending, such as ./shop or shop.sqlite',
    );
  addOptions(command, showOptions).action(show);
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
