import type { Cell, TableResult } from './table-result.js';

export type PandasKind = 'int' | 'float' | 'bool' | 'instant' | 'object';

export interface PandasColumn {
  readonly name: string;
  /** DuckDB's. */
  readonly type: string;
  readonly kind: PandasKind;
  readonly cells: readonly Cell[];
}

/**
 * The data frame that the reference renders: the first `shown` rows, put together one by one, so that a column's type
 * depends on its neighbours and on the rows shown (hybrid-agent.md §2.2).
 */
export function pandasFrame(
  { columns, rows }: TableResult,
  shown: number,
): readonly PandasColumn[] {
  const kinds = columns.map(({ type }, index) => fetchedKind(type, rows, index));
  const upcast = becomesFloat(kinds);
  const kept = rows.slice(0, shown);
  return columns.map(({ name, type }, index) => {
    const cells = kept.map((row) => row[index] ?? null);
    const kind = upcast ? 'float' : keptKind(kinds[index] ?? 'object', cells);
    return { name, type, kind, cells };
  });
}

type FetchedKind = PandasKind | 'nullable-int' | 'nullable-bool';

/** A NULL in any fetched row, shown or not, changes the type of the whole column. */
function fetchedKind(type: string, rows: readonly (readonly Cell[])[], index: number): FetchedKind {
  const nullable = rows.some((row) => row[index] === null);
  if (/^U?(?:TINY|SMALL|BIG)?INT(?:EGER)?$/.test(type)) return nullable ? 'nullable-int' : 'int';
  if (/^(?:DOUBLE|FLOAT|U?HUGEINT|DECIMAL\(\d+,\d+\))$/.test(type)) return 'float';
  if (type === 'BOOLEAN') return nullable ? 'nullable-bool' : 'bool';
  return /^(?:DATE|TIMESTAMP[^[]*)$/.test(type) ? 'instant' : 'object';
}

/** A row of numbers alone has one type; a row with anything else in it keeps each value's own. */
function becomesFloat(kinds: readonly FetchedKind[]): boolean {
  if (kinds.length === 1) return kinds[0] === 'nullable-int';
  return kinds.includes('float') && kinds.every((kind) => kind === 'int' || kind === 'float');
}

function keptKind(kind: FetchedKind, cells: readonly Cell[]): PandasKind {
  if (kind !== 'nullable-int' && kind !== 'nullable-bool') return kind;
  if (cells.includes(null)) return 'object';
  return kind === 'nullable-int' ? 'int' : 'bool';
}

/** What pandas shows where a column of objects has no value; a text's is Python's own `None`. */
export const missingObject = (type: string): 'None' | '<NA>' =>
  /^(?:VARCHAR|JSON)$/.test(type) ? 'None' : '<NA>';
