import { counted, joined, sizeText } from '../../../domain/formats/text.js';
import type { DescribedDatabase, StoredDatabase } from '../../../domain/stores/database.js';
import type { StoredPaper, StoreManifest } from '../../../domain/stores/store-manifest.js';
import { sum } from '../../../domain/statistics/means.js';
import { listOf, listSection, type Section } from './section.js';

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
  {
    id: 'collections',
    title: 'Collections',
    words: [],
    notes: [],
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
  },
];

function papersSection(papers: readonly StoredPaper[]): Section {
  const hasParsers = papers.some(({ parsers }) => parsers !== undefined);
  return {
    id: 'papers',
    title: 'Papers',
    words: [],
    notes: papers.flatMap(readByModelNote),
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
  };
}

function readByModelNote({ file, enrichment }: StoredPaper): readonly string[] {
  const read = enrichment?.readByModel ?? [];
  return read.length === 0 ? [] : [`${file}: a model has read the text of page ${read.join(', ')}`];
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
): Section => ({
  id: 'tables',
  title: `Database ${name}`,
  words: [`${name}, ${counted(tables.length, 'table')}`],
  notes: leftOut.length > 0 ? [`not described: ${leftOut.join(', ')}`] : [],
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
