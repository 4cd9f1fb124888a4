import { counted, joined, sizeText, type Texts } from '../../../domain/formats/text.js';
import type { DescribedDatabase, StoredDatabase } from '../../../domain/stores/database.js';
import type { StoredPaper, StoreManifest } from '../../../domain/stores/store-manifest.js';
import { sum } from '../../../domain/statistics/means.js';
import { listOf, listSection, section, unlessEmpty, type Section, type Table } from './section.js';
import type { StoreName } from '../../../domain/ids.js';
import type {
  CheckStoreResult,
  Finding,
  FindingKind,
  LostPaper,
  StoreCheck,
} from '../../../domain/stores/store-check.js';

export const storesSection = (stores: readonly StoreManifest[]): Section => ({
  ...listSection(
    'stores',
    'Stores',
    'no stores yet: `turnwise store add PATH… --store NAME` makes one',
    {
      heads: ['store', 'holds', 'size', 'built (UTC)'],
      rows: stores.map(({ name, papers, database, files, builtAt }) => [
        name,
        database === undefined
          ? counted(papers.length, 'paper')
          : counted(database.tables.length, 'table'),
        sizeText((files.tables?.bytes ?? 0) + (files.bm25?.bytes ?? 0)),
        builtAt.slice(0, 16).replace('T', ' '),
      ]),
    },
  ),
  notes: stores.length > 0 ? ['size: of tables and BM25 model; `turnwise disk` counts all'] : [],
});

/** The papers or the tables of a store, and its collections. */
export const storeSections = ({
  papers,
  database,
  collections,
}: Pick<StoreManifest, 'papers' | 'database' | 'collections'>): readonly Section[] => [
  database === undefined ? papersSection(papers) : storedDatabaseSection(database),
  section('collections', 'Collections', {
    tables: [
      {
        ...listOf(
          'Collections',
          ['collection', 'vectors by', 'rows'],
          collections.map(({ name, embedder, rows }) => [name, embedder, rows]),
        ),
        names: 2,
      },
    ],
  }),
];

function papersSection(papers: readonly StoredPaper[]): Section {
  const hasParsers = papers.some(({ parsers }) => parsers !== undefined);
  return section('papers', 'Papers', {
    notes: papers.map(readByModelNote),
    tables: [
      listOf(
        'Papers',
        ['paper', 'pages', ...(hasParsers ? ['read with'] : []), 'file', 'title'],
        papers.map(({ paperId, pages, parsers = [], file, title }) => [
          paperId,
          String(pages),
          ...(hasParsers ? [parsers.map(({ parser }) => parser).join(', ')] : []),
          file,
          title,
        ]),
      ),
    ],
  });
}

function readByModelNote({ file, enrichment }: StoredPaper): Texts {
  const read = enrichment?.readByModel ?? [];
  return read.length > 0 && `${file}: a model has read the text of page ${read.join(', ')}`;
}

/** The tables of a database, with their columns. */
export const databaseSection = (database: DescribedDatabase): Section =>
  tablesSection(database, () => false);

/** The tables of a database that a store holds: what searches find is marked. */
const storedDatabaseSection = (database: StoredDatabase): Section =>
  tablesSection(database, (table, column) =>
    database.searched.some((each) => each.table === table && each.columns.includes(column)),
  );

const tablesSection = (
  { name, tables, leftOut = [] }: DescribedDatabase,
  isSearched: (table: string, column: string) => boolean,
): Section =>
  section('tables', `Database ${name}`, {
    words: `${name}, ${counted(tables.length, 'table')}`,
    notes: leftOut.length > 0 && `not described: ${leftOut.join(', ')}`,
    tables: tables.map(({ name: table, rows, columns, description, note }) => {
      const what = `${table}, ${String(rows)} rows`;
      const legend = [description, note ?? ''].filter((each) => each !== '');
      return {
        ...listOf(
          what,
          [what, 'type', 'notes'],
          columns.map((column) => [
            column.name,
            column.type,
            joined('; ', isSearched(table, column.name) && 'searched', column.note),
          ]),
        ),
        ...(legend.length > 0 && { legend }),
      };
    }),
  });

/** One line on the database of a store. */
export function databaseLine({ name, tables, searched }: StoredDatabase): string {
  const columns = searched.flatMap(({ table, columns }) =>
    columns.map((each) => `${table}.${each}`),
  );
  const rows = sum(tables.map((table) => table.rows ?? 0));
  const found =
    columns.length === 0 ? 'no column of texts to search' : `searches find ${listed(columns)}`;
  return `database ${name}, ${counted(tables.length, 'table')}, ${counted(rows, 'row')}; ${found}`;
}

const mostListed = 8;

const listed = (columns: readonly string[]): string =>
  columns.length <= mostListed
    ? columns.join(', ')
    : `${columns.slice(0, mostListed).join(', ')} and ${columns.length - mostListed} more columns`;

const findingWords: Readonly<Record<FindingKind, string>> = {
  'text-lost': 'kept text missing or damaged',
  'pdf-lost': 'copy of the PDF missing',
  'pdf-changed': 'copy of the PDF has other bytes',
  'tables-lost': 'tables unreadable',
  'rows-missing': 'rows missing',
  'rows-changed': 'rows changed',
  'rows-extra': 'rows of nothing',
  'paper-changed': 'paper described wrongly',
  outdated: 'built by another version',
  'collection-missing': 'collection missing',
  'vectors-missing': 'cells without vectors',
  'vectors-extra': 'vectors without cells',
  'vectors-miscounted': 'vectors too many or too few',
  'bm25-lost': 'BM25 model missing or damaged',
  'bm25-changed': 'BM25 model not that of the papers',
  'collection-left': 'collections left over',
  'file-left': 'files left over',
};

const losses: Readonly<Record<LostPaper['lost'], string>> = {
  pdf: 'its PDF is lost, and with it the pictures of its pages',
  text: 'its text and its PDF are lost; the rows it has were kept',
  import: 'what was imported of it is lost; the rows it has were kept: import it again',
};

/** The findings of a check, what a repair could not mend, and what it comes to. */
export function storeCheckSection(
  store: StoreName,
  { found, left, lost }: CheckStoreResult,
): Section {
  const remedies = {
    before: `\`turnwise store check ${store} --repair\` mends what it can`,
    paper: `\`turnwise store add PDF --store ${store}\` brings back what is lost of a paper`,
    database: `\`turnwise store import PATH --store ${store}\` brings back the database`,
  };
  const words =
    left === null
      ? summary(`store ${store}`, found, remedies.before)
      : summary(
          `store ${store} after the repair`,
          left,
          left.database === null ? remedies.paper : remedies.database,
        );
  return section('check', `Store ${store}`, {
    words: [
      words,
      lost.map(({ file, title, lost: what }) => `${file} (${title}): ${losses[what]}`),
    ],
    tone: (left ?? found).findings.length + lost.length > 0 ? 'bad' : undefined,
    tables: [
      findingsTable('finding', found.findings),
      left && findingsTable('not mended', left.findings),
    ],
  });
}

const findingsTable = (name: string, findings: readonly Finding[]): Table | null =>
  unlessEmpty(
    listOf(
      name,
      [name, 'where', 'how many', 'for example'],
      findings.map(({ kind, where, count, papers, example }) => [
        findingWords[kind],
        where,
        papers === 0 ? count : `${count} in ${counted(papers, 'paper')}`,
        example,
      ]),
    ),
  );

function summary(what: string, check: StoreCheck, remedy: string): string {
  const { database, papers, rows, vectors, findings } = check;
  const held = database === null ? counted(papers, 'paper') : 'the database';
  return findings.length === 0
    ? `${what}: ${held}, ${counted(rows, 'row')} and ${counted(vectors, 'vector')} agree`
    : `${what}: ${counted(findings.length, 'finding')}; ${remedy}`;
}
