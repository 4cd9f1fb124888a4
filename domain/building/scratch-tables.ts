import { type DatabaseTable, type DescribedDatabase } from '../stores/database.js';
import { renderDatabaseDdl, sqlName } from '../stores/database-schema.js';

/** A database in which rows are tried out. */
interface ScratchTables {
  /** One statement a table, in an order in which each refers to earlier ones. */
  readonly creates: readonly ScratchTable[];
  /** Queries that return the rows whose foreign key refers to no row. DuckDB does not check keys in a circle. */
  readonly orphans: readonly OrphanQuery[];
}

export interface ScratchTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly sql: string;
}

export interface OrphanQuery {
  readonly table: string;
  readonly columns: readonly string[];
  readonly target: string;
  readonly sql: string;
}

type ForeignKey = DatabaseTable['foreignKeys'][number];

/**
 * The tables of a schema, empty. Keys, types and NOT NULL are declared; a foreign key is, where DuckDB can check it: it must
 * refer to the primary key of an earlier table. All are checked by queries as well.
 */
export function scratchTables({ tables }: Pick<DescribedDatabase, 'tables'>): ScratchTables {
  const ordered = inOrder(tables);
  const creates = ordered.map((table, place) => ({
    name: table.name,
    columns: table.columns.map(({ name }) => name),
    sql: createSql(table, ordered.slice(0, place)),
  }));
  const orphans = tables.flatMap((table) =>
    table.foreignKeys.flatMap((key) => orphanQuery(table, key, tables) ?? []),
  );
  return { creates, orphans };
}

/** Referenced tables first, as far as they do not refer to each other. */
function inOrder(tables: readonly DatabaseTable[]): readonly DatabaseTable[] {
  const ordered: DatabaseTable[] = [];
  const left = [...tables];
  while (left.length > 0) {
    const free = left.findIndex((table) =>
      table.foreignKeys.every(
        (key) => isSame(key.table, table.name) || !left.some(({ name }) => isSame(name, key.table)),
      ),
    );
    const [next] = left.splice(Math.max(0, free), 1);
    if (next !== undefined) ordered.push(next);
  }
  return ordered;
}

function createSql(table: DatabaseTable, earlier: readonly DatabaseTable[]): string {
  const foreignKeys = table.foreignKeys.filter((key) => {
    const target = earlier.find(({ name }) => isSame(name, key.table));
    return target !== undefined && sameNames(referencesOf(key, target), target.primaryKey);
  });
  // The comment in front names the dialect.
  return renderDatabaseDdl({ tables: [{ ...table, foreignKeys }] });
}

/** Null where the schema does not say to which columns the key refers. */
function orphanQuery(
  table: DatabaseTable,
  key: ForeignKey,
  tables: readonly DatabaseTable[],
): OrphanQuery | null {
  const target = tables.find(({ name }) => isSame(name, key.table));
  if (target === undefined) return null;
  const references = referencesOf(key, target);
  if (references.length !== key.columns.length || references.length === 0) return null;
  const isSet = key.columns.map((column) => `a.${sqlName(column)} IS NOT NULL`);
  const isFound = key.columns.map(
    (column, place) => `b.${sqlName(references[place] ?? '')} = a.${sqlName(column)}`,
  );
  const shown = key.columns.map((column) => `a.${sqlName(column)}`).join(', ');
  return {
    table: table.name,
    columns: key.columns,
    target: target.name,
    sql: `SELECT ${shown} FROM ${sqlName(table.name)} a WHERE ${isSet.join(' AND ')} AND NOT EXISTS (SELECT 1 FROM ${sqlName(target.name)} b WHERE ${isFound.join(' AND ')})`,
  };
}

const referencesOf = (key: ForeignKey, target: DatabaseTable): readonly string[] =>
  key.references.length > 0 ? key.references : target.primaryKey;

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

const sameNames = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((name) => b.some((other) => isSame(name, other)));

/** The query that shows all rows of a table. */
export const allRowsSql = (table: string): string => `SELECT * FROM ${sqlName(table)}`;
