import { paperTables, type TableSpec } from './paper-tables.js';

/** The statements that create the tables, comments included: DuckDB runs the very text the model reads. */
export function createTableStatements(): readonly string[] {
  return Object.entries<TableSpec>(paperTables).map(
    ([name, table]) => `CREATE TABLE IF NOT EXISTS ${name} (\n${tableBody(table)}\n);`,
  );
}

/** The database as the model is told about it (hybrid-agent.md §1.3), under the store's name. */
export function renderDatabaseSchema(name: string): string {
  const statements = createTableStatements();
  const tables = Object.entries<TableSpec>(paperTables).map(
    ([table, { description }], index) =>
      `/* table ${table}: ${description}\n*/\n${statements[index] ?? ''}`,
  );
  return [
    `The database schema for ${name} is as follows:`,
    `/* database ${name}: Research papers, each seen whole, by page, by section and by passage.\n*/`,
    ...tables,
  ].join('\n');
}

function tableBody({ columns, primaryKey, foreignKeys }: TableSpec): string {
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
