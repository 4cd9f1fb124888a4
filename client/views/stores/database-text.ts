import { counted, joined, sizeText } from '../../../domain/formats/text.js';
import type { DescribedDatabase, StoredDatabase } from '../../../domain/stores/database.js';
import type { StoreManifest } from '../../../domain/stores/store-manifest.js';
import { sum } from '../../../domain/statistics/means.js';
import type { DatabaseCopy } from '../../runs/stores/database-copies.js';
import { alignColumns } from '../terminal.js';

/** The tables of a database, with their columns. */
export const databaseText = (database: DescribedDatabase): string =>
  tablesText(database, () => false);

/** What a store holds beside papers: the tables of a database, and vectors. */
export const contentsText = ({
  database,
  collections,
}: Pick<StoreManifest, 'database' | 'collections'>): string =>
  joined(
    '\n\n',
    database && storedDatabaseText(database),
    alignColumns([
      ['collection', 'vectors by', 'rows'],
      ...collections.map(({ name, embedder, rows }) => [name, embedder, String(rows)]),
    ]),
  );

/** The tables of a database that a store holds: what searches find is marked. */
const storedDatabaseText = (database: StoredDatabase): string =>
  tablesText(database, (table, column) =>
    database.searched.some((each) => each.table === table && each.columns.includes(column)),
  );

function tablesText(
  { name, tables, leftOut = [] }: DescribedDatabase,
  isSearched: (table: string, column: string) => boolean,
): string {
  const shown = tables.map(({ name: table, rows, columns, description, note }) => {
    const lines = columns.map((column) => {
      const notes = joined('; ', isSearched(table, column.name) && 'searched', column.note);
      return [`  ${column.name}`, column.type, notes];
    });
    const about = description === '' ? '' : `: ${description}`;
    return joined(
      '\n',
      `${table}, ${String(rows)} rows${about}`,
      note && `  ${note}`,
      alignColumns(lines),
    );
  });
  const others = leftOut.length > 0 && `not described: ${leftOut.join(', ')}`;
  return joined('\n\n', `${name}, ${tables.length} tables`, shown, others);
}

/** A line for each copy of a database. */
export const copiesText = (copies: readonly DatabaseCopy[]): string =>
  copies.length === 0
    ? 'no database is copied'
    : alignColumns([
        ['copy', 'database', 'size', 'runs'],
        ...copies.map(({ id, name, bytes, runs }) => [
          id,
          name ?? 'damaged',
          sizeText(bytes),
          runs.join(', '),
        ]),
      ]);

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
