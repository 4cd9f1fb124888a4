import type { DuckDBConnection } from '@duckdb/node-api';
import { z } from 'zod';
import { keyTextSql, sqlName } from '../../../domain/stores/database-ddl.js';
import { searchNoted, type DatabaseNotes } from '../../../domain/stores/database-notes.js';
import type { DatabaseTable, SearchedTable } from '../../../domain/stores/database.js';
import {
  longestKey,
  longestName,
  possibleKeys,
  rowNumber,
  searchedTable,
  textColumns,
  type TextFigures,
} from '../../../domain/stores/searched-tables.js';

/** Reads all texts of the tables, and says which of them a store makes searchable. */
export async function findSearchedTables(
  connection: DuckDBConnection,
  tables: readonly DatabaseTable[],
  notes: readonly DatabaseNotes[],
): Promise<readonly SearchedTable[]> {
  const found: SearchedTable[] = [];
  for (const table of tables) {
    const chosen = (column: string): boolean | undefined => searchNoted(notes, table.name, column);
    const columns = textColumns(table, chosen).filter(fitsName);
    if (columns.length === 0 || !fitsName(table.name)) continue;
    const figures = await figuresOf(connection, table.name, columns);
    const searched = searchedTable(table.name, await keyOf(connection, table), figures, chosen);
    if (searched !== null) found.push(searched);
  }
  return found;
}

const fitsName = (name: string): boolean => Buffer.byteLength(name) <= longestName;

/** Long texts are judged by their beginning. Scripts without blanks between words count each sign. */
const wordsOf = (column: string): string =>
  `len(regexp_extract_all(left(${column}, 1000), '\\p{Han}|\\p{Hiragana}|\\p{Katakana}|\\p{Thai}|\\S*\\pL\\S*'))`;

const rowsSchema = z.array(
  z.object({ cells: z.number(), distinct: z.number(), words: z.number().nullable() }),
);

async function figuresOf(
  connection: DuckDBConnection,
  table: string,
  columns: readonly string[],
): Promise<readonly TextFigures[]> {
  const figures: TextFigures[] = [];
  for (const column of columns) {
    const name = sqlName(column);
    const reader = await connection.runAndReadAll(
      `SELECT count(*)::DOUBLE AS cells, approx_count_distinct(${name})::DOUBLE AS "distinct",
              avg(${wordsOf(name)})::DOUBLE AS words
       FROM ${sqlName(table)} WHERE trim(${name}) <> ''`,
    );
    const [row] = rowsSchema.parse(reader.getRowObjectsJson());
    if (row) figures.push({ ...row, column, words: row.words ?? 0 });
  }
  return figures;
}

/** The first key that tells all rows apart; null if there is none. SQLite, and scripts, may declare one that does not. */
async function keyOf(
  connection: DuckDBConnection,
  table: DatabaseTable,
): Promise<readonly string[] | null> {
  const isHidden = table.columns.some(({ name }) => name.toLowerCase() === rowNumber);
  for (const key of possibleKeys(table)) {
    if (key[0] === rowNumber && !isHidden) return key;
    const names = key.map(sqlName);
    const text = keyTextSql(key);
    const reader = await connection.runAndReadAll(
      `SELECT count(*) = count(DISTINCT ${text}) AND max(strlen(${text})) <= ${longestKey}
              AND bool_and(${names.map((name) => `${name} IS NOT NULL`).join(' AND ')})
       FROM ${sqlName(table.name)}`,
    );
    if (reader.getRows()[0]?.[0] === true) return key;
  }
  return null;
}
