import {
  paperTables,
  type ColumnSpec,
  type PaperRows,
  type PaperTableName,
  type TableSpec,
} from './paper-tables.js';

export interface EncodablePair {
  readonly table: PaperTableName;
  readonly column: string;
  readonly modality: 'text' | 'image';
}

const tableNames = Object.keys(paperTables) as (keyof typeof paperTables)[]; // keys of a literal

/** Every (table, column) whose cells become vectors, in schema order. */
export const encodablePairs: readonly EncodablePair[] = tableNames.flatMap((table) =>
  Object.entries<ColumnSpec>(paperTables[table].columns).flatMap(([column, { encode }]) =>
    encode === 'none' ? [] : [{ table, column, modality: encode }],
  ),
);

/** A text that becomes an entry of every text collection. */
export interface EncodableCell {
  readonly table: PaperTableName;
  readonly column: string;
  readonly primaryKey: string;
  /** From 1; -1 where the row belongs to no page. */
  readonly pageNumber: number;
  /** Stripped, never empty. */
  readonly text: string;
}

/** The text cells of one paper's rows, in schema order. Empty cells are left out. */
export function encodableCells(rows: PaperRows): readonly EncodableCell[] {
  const pageNumbers = new Map(rows.pages.map((page) => [page.page_id, page.page_number]));
  return encodablePairs
    .filter(({ modality }) => modality === 'text')
    .flatMap(({ table, column }) => {
      const { primaryKey }: TableSpec = paperTables[table];
      return rows[table].flatMap((row: Readonly<Record<string, unknown>>) => {
        const text = row[column];
        const key = row[primaryKey];
        if (typeof text !== 'string' || text.trim() === '' || typeof key !== 'string') return [];
        const page = row['ref_page_id'] ?? row['page_id'];
        const pageNumber = typeof page === 'string' ? pageNumbers.get(page) : undefined;
        return [
          { table, column, primaryKey: key, pageNumber: pageNumber ?? -1, text: text.trim() },
        ];
      });
    });
}
