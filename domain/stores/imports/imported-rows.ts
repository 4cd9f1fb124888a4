import { paperRowSchemas } from '../extracted-paper.js';
import {
  paperTables,
  type PaperRows,
  type PaperTableName,
  type TableSpec,
} from '../paper-tables.js';
import type { Gaps } from './import-papers.js';

const tableNames = Object.keys(paperTables) as readonly PaperTableName[]; // the keys of the literal

type Row = Readonly<Record<string, unknown>>;

/** Texts are cut after so many characters, and then end in ` ...`. */
const cutLength = 16_000;

export interface UsableRows {
  readonly rows: PaperRows;
  readonly gaps: Gaps;
}

/**
 * The rows of a paper as a store takes them: boxes of tables become `[x, y, width, height]`, and the path of the PDF its file
 * name. Leaves out rows without a key of their own. All other values stay.
 */
export function usableRows(found: PaperRows): UsableRows {
  const pages = new Set(found.pages.map(({ page_id }) => page_id));
  let broken = 0;
  let withoutPage = 0;
  const rows = Object.fromEntries(
    tableNames.map((table) => {
      const { primaryKey }: TableSpec = paperTables[table];
      const keys = new Set<unknown>();
      const usable = found[table].flatMap((given: Row): readonly Row[] => {
        const row = converted(table, given);
        const key = row[primaryKey];
        if (key === null || keys.has(key) || !paperRowSchemas[table].safeParse(row).success) {
          broken += 1;
          return [];
        }
        keys.add(key);
        const page = row['ref_page_id'];
        if (typeof page !== 'string' || pages.has(page)) return [row];
        withoutPage += 1;
        return [{ ...row, ref_page_id: null }];
      });
      return [table, usable];
    }),
  ) as unknown as PaperRows; // every row has passed the schema of its table
  return { rows, gaps: { ...gapsIn(rows), rows: broken, 'pages-of-rows': withoutPage } };
}

/** What rows tell about what is missing. */
export function gapsIn(rows: PaperRows): Gaps {
  const [metadata] = rows.metadata;
  const hasText = rows.pages.some(({ page_content }) => (page_content ?? '').trim() !== '');
  const cells = tableNames.flatMap((table) =>
    rows[table].flatMap((row: Row) => Object.values(row)),
  );
  return {
    pages: Math.max(0, (metadata?.num_pages ?? 0) - rows.pages.length),
    chunks: hasText && rows.chunks.length === 0 ? 1 : 0,
    sections: hasText && rows.sections.length === 0 ? 1 : 0,
    'ends-of-texts': cells.filter(isCut).length,
  };
}

const isCut = (cell: unknown): boolean =>
  typeof cell === 'string' && cell.length >= cutLength && cell.endsWith(' ...');

function converted(table: PaperTableName, row: Row): Row {
  const { columns }: TableSpec = paperTables[table];
  return Object.fromEntries(
    Object.keys(columns).map((column) => {
      const cell = withoutNulls(row[column]);
      if (column === 'pdf_path') return [column, typeof cell === 'string' ? fileName(cell) : null];
      return [column, table === 'tables' && column === 'bounding_box' ? boxOfCorners(cell) : cell];
    }),
  );
}

/** A list without what it lacks; a box that lacks a number is none. */
const withoutNulls = (cell: unknown): unknown =>
  Array.isArray(cell) ? cell.filter((part) => part !== null) : (cell ?? null);

export const fileName = (path: string): string => path.split(/[\\/]/).at(-1) ?? path;

/** `[x, y, width, height]` of the top left and the bottom right corner `[x1, y1, x2, y2]`. */
function boxOfCorners(corners: unknown): unknown {
  if (!Array.isArray(corners) || corners.length !== 4) return null;
  const [left, top, right, bottom] = corners.map(Number) as [number, number, number, number];
  return [left, top, right - left, bottom - top];
}
