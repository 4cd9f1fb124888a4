import type { ShownResult } from './build.js';

/** A result as a table. */
export interface ShownTable {
  readonly columns: readonly string[];
  /** Null is NULL; the empty text is a text. */
  readonly rows: readonly (readonly (string | null)[])[];
  /** What the result says of rows that it leaves out; empty where it has all. */
  readonly note: string;
}

/** A cell of CSV, quoted or not, and what ends it. */
const cell = /(?:"((?:[^"]|"")*)"|([^,\n"]*))(,|\n|$)/y;

/** Null for what is no table, such as an error or a row that was cut. */
export function shownTable({ status, rows: count, shown }: ShownResult): ShownTable | null {
  if (status === 'error') return null;
  const [header, ...rows] = recordsOf(shown) ?? [];
  if (header === undefined) return null;
  const note = noteIn(rows.at(-1), rows.length - 1, count);
  const own = note === '' ? rows : rows.slice(0, -1);
  const isTable = own.every((row) => row.length === header.length);
  // Rows are missing that nothing is said of: one was cut.
  if (!isTable || (note === '' && own.length !== count)) return null;
  return { columns: header.map((name) => name ?? ''), rows: own, note };
}

/** After the rows, a line says which are left out, or that there are none. */
function noteIn(last: readonly (string | null)[] | undefined, shown: number, of: number): string {
  const text = last?.length === 1 ? (last[0] ?? '') : '';
  const said = of === 0 ? /^\(0 rows\)$/ : new RegExp(`^\\(${shown} of .*\\b${of} rows shown\\)$`);
  return said.test(text) ? text : '';
}

function recordsOf(text: string): readonly (readonly (string | null)[])[] | null {
  const records: (string | null)[][] = [[]];
  cell.lastIndex = 0;
  for (;;) {
    const [all, quoted, plain = '', end] = cell.exec(text) ?? [];
    if (all === undefined) return null;
    records.at(-1)?.push(quoted?.replaceAll('""', '"') ?? (plain === '' ? null : plain));
    if (end === '') return records;
    if (end === '\n') records.push([]);
  }
}
