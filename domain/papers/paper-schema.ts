import { paperTables, type ColumnSpec, type TableSpec } from './paper-tables.js';

/** A database as a model is told about it. */
export interface DatabaseDescription {
  readonly description: string;
  /** By name, in the order they are told and created. */
  readonly tables: Readonly<Record<string, DescribedTable>>;
}

/** A table of a store, or of any other database. */
export type DescribedTable = Omit<TableSpec, 'columns'> & {
  readonly columns: Readonly<Record<string, Omit<ColumnSpec, 'type'> & { readonly type: string }>>;
};

const paperDatabase: DatabaseDescription = {
  description: 'Research papers, each seen whole, by page, by section and by passage.',
  tables: paperTables,
};

/** The statements that create the tables, comments included: DuckDB runs the very text the model reads. */
export const createTableStatements = (): readonly string[] =>
  Object.entries(paperDatabase.tables).map(createTable);

/** The database as the model is told about it (hybrid-agent.md §1.3), under the store's name. */
export function renderDatabaseSchema(
  name: string,
  { description, tables }: DatabaseDescription = paperDatabase,
): string {
  return [
    `The database schema for ${name} is as follows:`,
    `/* database ${name}: ${description}\n*/`,
    ...Object.entries(tables).map(
      ([table, spec]) =>
        `/* table ${table}: ${spec.description}\n*/\n${createTable([table, spec])}`,
    ),
  ].join('\n');
}

const createTable = ([name, table]: readonly [string, DescribedTable]): string =>
  `CREATE TABLE IF NOT EXISTS ${name} (\n${tableBody(table)}\n);`;

function tableBody({ columns, primaryKey, foreignKeys }: DescribedTable): string {
  const columnLines = Object.entries(columns).map(
    ([name, { type, description }]) => `\t${name} ${type}, -- ${description}`,
  );
  const keys = [
    `\tPRIMARY KEY (${primaryKey})`,
    ...foreignKeys.map(
      ({ column, table, references }) =>
        `\tFOREIGN KEY (${column}) REFERENCES ${table}(${references})`,
    ),
  ];
  return `${columnLines.join('\n')}\n${keys.join(',\n')}`;
}
