/** A table of a schema as prompts show it. */
export interface SimulatedTable {
  /** As it is written in SQL. */
  readonly sqlName: string;
  readonly columns: readonly { readonly sqlName: string; readonly type: string }[];
  readonly foreignKeys: readonly {
    readonly columns: readonly string[];
    readonly table: string;
    readonly references: readonly string[];
  }[];
  readonly primaryKey: readonly string[];
}

const name = String.raw`(?:"(?:[^"]|"")*"|[A-Za-z_]\w*)`;
const listOf = (text: string): readonly string[] => text.match(new RegExp(name, 'g')) ?? [];

/** The tables of a schema text (`domain/stores/database-schema.ts`). */
export function tablesIn(schema: string): readonly SimulatedTable[] {
  const tables = schema.matchAll(new RegExp(`^CREATE TABLE (${name}) \\(\\n(.*?)^\\);`, 'gms'));
  return [...tables].map(([, sqlName = '', body = '']) => {
    const lines = body.split('\n').map((line) => line.replace(/,?(?: -- .*)?$/, '').trim());
    const key = lines.find((line) => line.startsWith('PRIMARY KEY'));
    return {
      sqlName,
      columns: lines
        .filter((line) => line !== '' && !/^(PRIMARY|FOREIGN) KEY/.test(line))
        .flatMap((line) => {
          const found = new RegExp(`^(${name}) (.*?)(?: NOT NULL)?$`).exec(line);
          return found ? [{ sqlName: found[1] ?? '', type: found[2] ?? '' }] : [];
        }),
      foreignKeys: lines.flatMap((line) => {
        const found = new RegExp(
          `^FOREIGN KEY \\((.*?)\\) REFERENCES (${name})(?: \\((.*?)\\))?$`,
        ).exec(line);
        return found
          ? [
              {
                columns: listOf(found[1] ?? ''),
                table: found[2] ?? '',
                references: listOf(found[3] ?? ''),
              },
            ]
          : [];
      }),
      primaryKey: key === undefined ? [] : listOf(key.slice('PRIMARY KEY'.length + 1)),
    };
  });
}

const rowsOfTable = 3;

/** Statements that fill each table with three rows, which refer to each other. */
export function filledTables(tables: readonly SimulatedTable[]): readonly string[] {
  return tables.map((table) => {
    const names = table.columns.map(({ sqlName }) => sqlName).join(', ');
    const rows = Array.from(
      { length: rowsOfTable },
      (_, row) =>
        `(${table.columns.map(({ sqlName }) => valueOf(tables, table, sqlName, row + 1)).join(', ')})`,
    );
    return `INSERT INTO ${table.sqlName} (${names}) VALUES ${rows.join(', ')};`;
  });
}

/** Of a column that refers to another, the value of that one in the same row. */
function valueOf(
  tables: readonly SimulatedTable[],
  table: SimulatedTable,
  column: string,
  row: number,
  depth = 0,
): string {
  for (const key of table.foreignKeys) {
    const target = tables.find((each) => isSame(each.sqlName, key.table));
    const references = key.references.length > 0 ? key.references : (target?.primaryKey ?? []);
    const referred = references[key.columns.findIndex((each) => isSame(each, column))];
    // Keys that refer to each other in a circle all get the number of their row.
    if (target === undefined || referred === undefined || depth > tables.length) continue;
    return valueOf(tables, target, referred, row, depth + 1);
  }
  const type = table.columns.find(({ sqlName }) => isSame(sqlName, column))?.type ?? 'VARCHAR';
  return literal(type.toUpperCase(), type, column, row);
}

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

function literal(type: string, declared: string, column: string, row: number): string {
  if (type.endsWith(']') || /^(STRUCT|MAP|UNION|BLOB|JSON)/.test(type)) return 'NULL';
  if (/^ENUM/.test(type)) return /'(?:[^']|'')*'/.exec(declared)?.[0] ?? 'NULL';
  if (/^BOOL/.test(type)) return row % 2 === 0 ? 'false' : 'true';
  if (/^DATE$/.test(type)) return `'2024-0${row}-1${row}'`;
  if (/^TIMESTAMP|^DATETIME/.test(type)) return `'2024-0${row}-1${row} 0${row}:00:00'`;
  if (/^TIME/.test(type)) return `'0${row}:00:00'`;
  if (/^UUID/.test(type)) return `'00000000-0000-4000-8000-00000000000${row}'`;
  if (/INT/.test(type)) return String(row);
  if (/^(DOUBLE|FLOAT|REAL|DECIMAL|NUMERIC)/.test(type)) return `${row}.5`;
  return `'${column.replaceAll(/["']/g, '')} ${row}'`;
}
