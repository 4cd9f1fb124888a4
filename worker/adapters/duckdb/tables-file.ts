import {
  ARRAY,
  INTEGER,
  LIST,
  uuidValue,
  VARCHAR,
  type DuckDBAppender,
  type DuckDBConnection,
} from '@duckdb/node-api';
import { createTableStatements } from '../../../domain/stores/database-schema.js';
import { sum } from '../../../domain/statistics/means.js';
import {
  paperTables,
  type ColumnType,
  type PaperRows,
  type PaperTableName,
  type TableSpec,
  type ValueOfType,
} from '../../../domain/stores/paper-tables.js';
import { withConnection } from './open-store.js';

// Keys of the literal, in an order in which rows refer to earlier tables only.
const tableNames = Object.keys(paperTables) as readonly PaperTableName[];

/** Cells by column. */
type Row = Readonly<Record<string, unknown>>;

/** Writes a new DuckDB file at `path`, which must not exist. Keys and references are checked by DuckDB. */
export async function writeTables(path: string, papers: AsyncIterable<PaperRows>): Promise<void> {
  await withConnection(path, {}, async (connection) => {
    for (const statement of createTableStatements()) await connection.run(statement);
    for await (const several of together(papers)) {
      for (const table of tableNames) {
        const all = several.flatMap((rows): readonly Row[] => rows[table]);
        await append(connection, table, all);
      }
    }
    await connection.run('CHECKPOINT');
  });
}

/** Rows of papers that are appended together: DuckDB takes as long over the keys of a few rows as over those of many. */
const rowsTogether = 5_000;

async function* together(papers: AsyncIterable<PaperRows>): AsyncGenerator<readonly PaperRows[]> {
  let several: PaperRows[] = [];
  let count = 0;
  for await (const rows of papers) {
    several.push(rows);
    count += sum(tableNames.map((table) => rows[table].length));
    if (count < rowsTogether) continue;
    yield several;
    [several, count] = [[], 0];
  }
  if (several.length > 0) yield several;
}

async function append(
  connection: DuckDBConnection,
  table: PaperTableName,
  rows: readonly Row[],
): Promise<void> {
  if (rows.length === 0) return;
  const { columns }: TableSpec = paperTables[table];
  const appender = await connection.createAppender(table);
  try {
    for (const row of rows) {
      for (const [column, { type }] of Object.entries(columns)) {
        appendCell(appender, type, row[column]);
      }
      appender.endRow();
    }
  } finally {
    appender.closeSync();
  }
}

function appendCell(appender: DuckDBAppender, type: ColumnType, value: unknown): void {
  // `value` is the cell of a PaperRow, whose type follows from the column's.
  const cell = value as never;
  if (value === null) appender.appendNull();
  else appenders[type](appender, cell);
}

const appenders: {
  readonly [Type in ColumnType]: (appender: DuckDBAppender, value: ValueOfType[Type]) => void;
} = {
  UUID: (appender, uuid) => appender.appendUUID(uuidValue(BigInt(`0x${uuid.replaceAll('-', '')}`))),
  VARCHAR: (appender, text) => appender.appendVarchar(text),
  INTEGER: (appender, number) => appender.appendInteger(number),
  'VARCHAR[]': (appender, texts) => appender.appendList(texts, LIST(VARCHAR)),
  'INTEGER[]': (appender, numbers) => appender.appendList(numbers, LIST(INTEGER)),
  'INTEGER[4]': (appender, numbers) => appender.appendArray(numbers, ARRAY(INTEGER, 4)),
};
