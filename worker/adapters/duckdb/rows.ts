import {
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBIntervalValue,
  DuckDBMapType,
  DuckDBMapValue,
  DuckDBStructType,
  DuckDBStructValue,
  DuckDBTimestampMillisecondsValue,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampSecondsValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  JsonDuckDBValueConverter,
  type DuckDBResult,
  type DuckDBValueConverter,
  type Json,
} from '@duckdb/node-api';
import type { Column, TableResult } from '../../../domain/agent/observations/tool-outcome.js';
import { boundedRows, integerCell } from './messages.js';

const timestampClasses = [
  DuckDBTimestampValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampSecondsValue,
  DuckDBTimestampMillisecondsValue,
  DuckDBTimestampNanosecondsValue,
];

/**
 * Any DuckDB value as JSON: dates and times as ISO 8601 (UTC where they have a zone, given TZ=UTC), BLOB as hex,
 * INTERVAL and UUID as DuckDB writes them, MAP as an object, a UNION as `{tag, value}`, infinities and NaN as text.
 */
const toCell: DuckDBValueConverter<Json> = (value, type, self) => {
  if (typeof value === 'bigint') return integerCell(value);
  if (value instanceof DuckDBDecimalValue) return decimalCell(value.toString());
  if (value instanceof DuckDBBlobValue) return Buffer.from(value.bytes).toString('hex');
  if (value instanceof DuckDBIntervalValue) return value.toString();
  if (value instanceof DuckDBDateValue) {
    return value.isFinite ? value.toString() : infinity(value.days > 0);
  }
  if (timestampClasses.some((timestamp) => value instanceof timestamp)) {
    return timestampCell(String(value));
  }
  if (value instanceof DuckDBStructValue && type instanceof DuckDBStructType) {
    return Object.fromEntries(
      Object.entries(value.entries).map(([name, entry]) => [
        name,
        self(entry, type.typeForEntry(name), self),
      ]),
    );
  }
  if (value instanceof DuckDBMapValue && type instanceof DuckDBMapType) {
    return Object.fromEntries(
      value.entries.map((entry) => [
        keyText(self(entry.key, type.keyType, self)),
        self(entry.value, type.valueType, self),
      ]),
    );
  }
  return JsonDuckDBValueConverter(value, type, self);
};

function decimalCell(text: string): Json {
  const shortest = text.includes('.') ? text.replace(/\.?0+$/, '') : text;
  const number = Number(text);
  return number.toString() === shortest ? number : text;
}

/** DuckDB's text has a blank for the `T` and `+00` for UTC. */
function timestampCell(text: string): string {
  return /^\d/.test(text) ? text.replace(' ', 'T').replace(/\+00$/, 'Z') : text;
}

const infinity = (positive: boolean): string => (positive ? 'infinity' : '-infinity');

const keyText = (key: Json): string => (typeof key === 'string' ? key : JSON.stringify(key));

/** Reads a streamed result as far as its rows are kept. */
export async function readRows(result: DuckDBResult, maxRows: number): Promise<TableResult> {
  const columns = columnsOf(result);
  const { rows, add } = boundedRows(maxRows);
  for (;;) {
    const chunk = await result.fetchChunk();
    if (!chunk || chunk.rowCount === 0) return { columns, rows, more: false };
    for (let index = 0; index < chunk.rowCount; index += 1) {
      if (!add(chunk.convertRowValues(index, toCell))) return { columns, rows, more: true };
    }
  }
}

function columnsOf(result: DuckDBResult): readonly Column[] {
  return result.columnTypes().map((type, index) => ({
    name: result.columnName(index),
    type: type.alias ?? type.toString(),
  }));
}
