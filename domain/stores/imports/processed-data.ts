import { z } from 'zod';
import type { Paper } from '../../extraction/paper.js';
import { firstIssue, jsonIn } from '../../formats/json.js';
import { rowsUnderId } from '../paper-rows.js';
import {
  paperRowSchemas,
  paperTables,
  type PaperRow,
  type PaperRows,
  type PaperTableName,
  type TableSpec,
} from '../paper-tables.js';
import type { FoundPaper, Gaps } from '../ingestion.js';

const pageNumber = z.int().positive();
/** `[x1, y1, x2, y2]`: the top left and the bottom right corner in PDF points. */
const corners = z.tuple([z.number(), z.number(), z.number(), z.number()]);
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');

/** `processed_data/ID.json`. */
const processedDataSchema = z.object({
  info_from_mineru: z.object({
    tables: z
      .array(
        z.object({
          ...{ table_caption: text, table_html: text },
          ...{ table_bbox: corners, page_number: pageNumber },
        }),
      )
      .default([]),
    figures: z
      .array(z.object({ figure_caption: text, figure_bbox: corners, page_number: pageNumber }))
      .default([]),
    equations: z.array(z.object({ equation_text: text, page_number: pageNumber })).default([]),
    references: z.array(z.object({ reference_text: text })).default([]),
    TOC: z
      .array(
        z.object({
          ...{ title: text, level: z.int().positive().default(1), text },
          ...{ page_number: pageNumber.nullish(), page_numbers: z.array(pageNumber).default([]) },
        }),
      )
      .default([]),
  }),
  /** By position: of the pages, of the sections, of the tables and figures of each page. */
  summary: z
    .object({
      page_summary: z.array(text).default([]),
      section_summary: z.array(text).default([]),
      table_summary: z.array(z.array(text)).default([]),
      image_summary: z.array(z.array(text)).default([]),
    })
    .partial()
    .nullish(),
});
type ProcessedData = z.infer<typeof processedDataSchema>;

/** `metadata/ID.json`. */
const metadataSchema = z.object({
  title: z.string(),
  abstract: text,
  num_pages: z.int().nullish(),
  conference_full: text,
  conference: text,
  year: z.int().nullish(),
  volume: text,
  pdf_url: text,
  bibtex: text,
  authors: z.array(z.string()).default([]),
  pdf_path: text,
  tldr: text,
  tags: z.array(z.string()).default([]),
});

/** The row of a paper by its `metadata/ID.json`, or in one sentence why there is none. */
export function metadataRow(
  paperId: string,
  json: string,
): PaperRow<'metadata'> | { readonly reason: string } {
  const parsed = metadataSchema.safeParse(jsonIn(json));
  if (!parsed.success) {
    return {
      reason: `metadata/${paperId}.json does not describe a paper: ${firstIssue(parsed.error)}`,
    };
  }
  const { data } = parsed;
  return {
    paper_id: paperId,
    title: data.title,
    abstract: orNull(data.abstract),
    num_pages: data.num_pages ?? null,
    conference_full: orNull(data.conference_full),
    conference_abbreviation: orNull(data.conference),
    pub_year: data.year ?? null,
    volume: orNull(data.volume),
    download_url: orNull(data.pdf_url),
    bibtex: orNull(data.bibtex),
    authors: data.authors,
    pdf_path: data.pdf_path === '' ? `${paperId}.pdf` : fileName(data.pdf_path),
    tldr: orNull(data.tldr),
    tags: data.tags,
  };
}

/** What stands where a summary could not be had. */
const noSummary = 'NO SUMMARY';

const orNull = (value: string | null | undefined): string | null =>
  value === undefined || value === null || value.trim() === '' || value === noSummary
    ? null
    : value;

/**
 * The rows of a paper by its `processed_data/ID.json`, which says all but the pages and passages, or in one sentence why there
 * are none. What it says of pages that the PDF does not have is left out.
 * @param read - from its PDF
 */
export function processedRows(
  { paperId, processed, metadata }: FoundPaper & { readonly processed: string },
  read: Paper,
  pdf: string,
): UsableRows | { readonly reason: string } {
  if (!z.guid().safeParse(paperId).success) {
    return { reason: `processed_data/${paperId}.json is not named by the id of a paper` };
  }
  const parsed = processedDataSchema.safeParse(jsonIn(processed));
  if (!parsed.success) {
    return {
      reason: `processed_data/${paperId}.json does not describe a paper: ${firstIssue(parsed.error)}`,
    };
  }
  const described = metadata === null ? null : metadataRow(paperId, metadata);
  if (described !== null && 'reason' in described) return described;
  const { info_from_mineru: info, summary } = parsed.data;
  const isThere = (item: { readonly page_number: number }): boolean =>
    item.page_number <= read.pages.length;
  const pages = read.pages.map((page) => lettersOf(page.text));
  const pageOfReference = info.references.map(({ reference_text }) =>
    pageWith(pages, reference_text),
  );
  const rows = rowsUnderId(paperId, fileName(pdf), {
    ...read,
    ...contentsOf(info, isThere),
    references: info.references.map(({ reference_text }, index) => ({
      ...{ text: reference_text, page: pageOfReference[index] ?? 1, box: nowhere },
      ...{ label: null, authors: [], year: null, title: null },
    })),
  });
  const numberOf = new Map(rows.pages.map(({ page_id, page_number }) => [page_id, page_number]));
  const onPage = (
    lists: readonly (readonly string[])[] | undefined,
    {
      ref_page_id,
      ordinal,
    }: { readonly ref_page_id: string | null; readonly ordinal: number | null },
  ): string | null => orNull(lists?.[(numberOf.get(ref_page_id) ?? 0) - 1]?.[ordinal ?? -1]);
  const summarized: PaperRows = {
    ...rows,
    metadata: described === null ? rows.metadata : [described],
    pages: rows.pages.map((page, index) => ({
      ...page,
      page_summary: orNull(summary?.page_summary?.[index]),
    })),
    sections: rows.sections.map((section, index) => ({
      ...section,
      section_summary: orNull(summary?.section_summary?.[index]),
    })),
    tables: rows.tables.map((table) => ({
      ...table,
      table_summary: onPage(summary?.table_summary, table),
    })),
    images: rows.images.map((image) => ({
      ...image,
      image_summary: onPage(summary?.image_summary, image),
    })),
    // Only now, since empty ones count in the ids of the others.
    equations: rows.equations.filter(({ equation_content }) => orNull(equation_content) !== null),
    reference: rows.reference.map((entry, index) =>
      pageOfReference[index] === null ? { ...entry, ref_page_id: null } : entry,
    ),
  };
  const left = [...info.tables, ...info.figures, ...info.equations].filter(
    (item) => !isThere(item),
  );
  const unplaced = pageOfReference.filter((page) => page === null).length;
  return {
    rows: summarized,
    gaps: { ...gapsIn(summarized), rows: left.length, 'pages-of-rows': unplaced },
  };
}

const nowhere = [0, 0, 0, 0] as const;

const boxOf = ([left, top, right, bottom]: z.infer<typeof corners>) =>
  [left, top, right - left, bottom - top] as const;

const contentsOf = (
  { TOC, tables, figures, equations }: ProcessedData['info_from_mineru'],
  isThere: (item: { readonly page_number: number }) => boolean,
): Pick<Paper, 'sections' | 'tables' | 'figures' | 'equations'> => ({
  sections: TOC.map(({ title, level, text, page_number, page_numbers }) => ({
    ...{ title, number: null, level, parent: null, text },
    pages: page_numbers.length > 0 || !page_number ? page_numbers : [page_number],
  })),
  tables: tables.filter(isThere).map((table) => ({
    ...{ page: table.page_number, box: boxOf(table.table_bbox), number: null },
    ...{ caption: table.table_caption, html: table.table_html },
  })),
  figures: figures.filter(isThere).map((figure) => ({
    ...{ page: figure.page_number, box: boxOf(figure.figure_bbox), number: null },
    caption: figure.figure_caption,
  })),
  equations: equations.filter(isThere).map(({ page_number, equation_text }) => ({
    ...{ page: page_number, box: nowhere, number: null },
    ...{ text: equation_text, latex: equation_text },
  })),
});

/** As many letters of an entry as tell it from others; its end may be on another page. */
const entryBeginning = 60;

const lettersOf = (value: string): string => value.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/** The last page that holds the beginning of an entry, as a list of references is at the end; null if none does. */
function pageWith(pages: readonly string[], entry: string): number | null {
  const beginning = lettersOf(entry).slice(0, entryBeginning);
  const index = beginning === '' ? -1 : pages.findLastIndex((page) => page.includes(beginning));
  return index < 0 ? null : index + 1;
}

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
function gapsIn(rows: PaperRows): Gaps {
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

const fileName = (path: string): string => path.split(/[\\/]/).at(-1) ?? path;

/** `[x, y, width, height]` of the top left and the bottom right corner `[x1, y1, x2, y2]`. */
function boxOfCorners(corners: unknown): unknown {
  if (!Array.isArray(corners) || corners.length !== 4) return null;
  const [left, top, right, bottom] = corners.map(Number) as [number, number, number, number];
  return [left, top, right - left, bottom - top];
}
