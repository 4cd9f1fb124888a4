import type { Cell } from '../../agent/observations/table-result.js';
import { readCsv } from '../../formats/csv.js';
import type { Executed } from './execution.js';

/**
 * A result in CSV with a header. A column has the first type that fits all its values: BIGINT, DOUBLE or VARCHAR. An empty value is
 * NULL.
 */
export function csvResult(text: string): Executed {
  const reading = readCsv(text, ',');
  if (reading.kind === 'problem') {
    return { kind: 'failed', failure: 'csv', message: reading.problem };
  }
  const [header, ...records] = reading.records;
  const columns = (header?.cells ?? []).map((name, index) => ({
    name,
    type: typeOf(records.map(({ cells }) => cells[index] ?? '')),
  }));
  const rows = records.map(({ cells }) =>
    columns.map(({ type }, index) => cellOf(cells[index] ?? '', type)),
  );
  return { kind: 'rows', result: { columns, rows, more: false } };
}

/** Integers that surely fit 64 bits. */
const integer = /^-?\d{1,18}$/;
const float = /^-?\d+(\.\d*)?(e[+-]?\d+)?$/i;

function typeOf(values: readonly string[]): 'BIGINT' | 'DOUBLE' | 'VARCHAR' {
  const present = values.filter((value) => value !== '');
  if (present.length === 0) return 'VARCHAR';
  if (present.every((value) => integer.test(value))) return 'BIGINT';
  return present.every((value) => float.test(value)) ? 'DOUBLE' : 'VARCHAR';
}

function cellOf(value: string, type: ReturnType<typeof typeOf>): Cell {
  if (value === '') return null;
  if (type === 'VARCHAR') return value;
  const number = Number(value);
  // As in a `TableResult`.
  return type === 'BIGINT' && !Number.isSafeInteger(number) ? value : number;
}
