import { roundTo } from '../scoring/rounding.js';
import type { SearchHit } from './search-hit.js';
import type { Cell, Column, TableResult } from './table-result.js';

/** What an entry of a text collection holds beside its vector, in the collection's order (hybrid-agent.md §7.2). */
export const hitFields = [
  'pdf_id',
  'page_number',
  'table_name',
  'column_name',
  'primary_key',
] as const;
export type HitField = (typeof hitFields)[number];

const fieldOf: Readonly<Record<HitField, (hit: SearchHit) => Cell>> = {
  pdf_id: ({ pdfId }) => pdfId,
  page_number: ({ pageNumber }) => pageNumber,
  table_name: ({ tableName }) => tableName,
  column_name: ({ columnName }) => columnName,
  primary_key: ({ primaryKey }) => primaryKey,
};

/** Hits as rows, with the texts that the vectorstore does not keep, by primary key. */
export function searchTable(
  hits: readonly SearchHit[],
  texts: ReadonlyMap<string, string>,
  fields: readonly HitField[],
): TableResult {
  const columns: readonly Column[] = [
    { name: 'score', type: 'DOUBLE' },
    ...fields.map((name) => ({ name, type: name === 'page_number' ? 'INTEGER' : 'VARCHAR' })),
    { name: 'text', type: 'VARCHAR' },
  ];
  const rows = hits.map((hit) => [
    roundTo(hit.score, 4),
    ...fields.map((name) => fieldOf[name](hit)),
    texts.get(hit.primaryKey)?.trim() ?? null,
  ]);
  return { columns, rows, more: false };
}
