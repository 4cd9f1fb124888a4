import type { SearchHit } from './search-hit.js';
import type { Column, TableResult } from './table-result.js';

const columns: readonly Column[] = [
  { name: 'score', type: 'DOUBLE' },
  { name: 'pdf_id', type: 'VARCHAR' },
  { name: 'page_number', type: 'INTEGER' },
  { name: 'table_name', type: 'VARCHAR' },
  { name: 'column_name', type: 'VARCHAR' },
  { name: 'primary_key', type: 'VARCHAR' },
  { name: 'text', type: 'VARCHAR' },
];

/** Hits as rows, with the texts that the vectorstore does not keep, by primary key; null where a text is gone. */
export function searchTable(
  hits: readonly SearchHit[],
  texts: ReadonlyMap<string, string>,
): TableResult {
  const rows = hits.map((hit) => [
    fourDecimals(hit.score),
    hit.pdfId,
    hit.pageNumber,
    hit.tableName,
    hit.columnName,
    hit.primaryKey,
    texts.get(hit.primaryKey)?.trim() ?? null,
  ]);
  return { columns, rows, more: false };
}

/** Python's `round(score, 4)`: what lies exactly between goes to the even digit. */
function fourDecimals(score: number): number {
  const scaled = score * 1e4;
  const low = Math.floor(scaled);
  // Only a multiple of 1/32 can lie exactly between, and its product is exact too.
  const between = scaled - low === 0.5 && Number.isInteger(score * 32);
  return between ? (low + (low % 2 === 0 ? 0 : 1)) / 1e4 : Number(score.toFixed(4));
}
