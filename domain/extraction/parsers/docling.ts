import { z } from 'zod';
import { labelOf } from '../captions.js';
import type { Box } from '../page-content.js';
import { tableHtml } from '../tables/table-html.js';
import { clampSpan } from './html-table.js';
import {
  boxOnPage,
  nowhere,
  UnexpectedDocument,
  type PageSize,
  type PaperParts,
  type PartPlace,
} from './paper-parts.js';
import { partsInOrder, type ListedItem } from './reading-order.js';

const refSchema = z.union([
  z.object({ $ref: z.string() }).transform(({ $ref }) => $ref),
  z.object({ cref: z.string() }).transform(({ cref }) => cref),
]);
const refs = z.array(refSchema).default([]);

const placeSchema = z.object({
  page_no: z.int().positive(),
  bbox: z.object({
    l: z.number(),
    t: z.number(),
    r: z.number(),
    b: z.number(),
    coord_origin: z.enum(['TOPLEFT', 'BOTTOMLEFT']).default('TOPLEFT'),
  }),
});

const itemSchema = z.object({
  self_ref: z.string(),
  children: refs,
  label: z.string().default(''),
  prov: z.array(placeSchema).default([]),
});

const cellSchema = z.object({
  start_row_offset_idx: z.int().nonnegative(),
  start_col_offset_idx: z.int().nonnegative(),
  row_span: z.int().default(1),
  col_span: z.int().default(1),
  text: z.string(),
  column_header: z.boolean().default(false),
});

const documentSchema = z.object({
  schema_name: z.literal('DoclingDocument'),
  body: z.object({ children: refs }),
  groups: z.array(itemSchema).default([]),
  texts: z.array(
    itemSchema.extend({
      text: z.string(),
      /** The characters of the PDF. */
      orig: z.string().default(''),
      level: z.int().positive().optional(),
      marker: z.string().nullish(),
      enumerated: z.boolean().nullish(),
    }),
  ),
  pictures: z.array(itemSchema.extend({ captions: refs })).default([]),
  tables: z
    .array(
      itemSchema.extend({ captions: refs, data: z.object({ table_cells: z.array(cellSchema) }) }),
    )
    .default([]),
  pages: z.record(
    z.string(),
    z.object({ size: z.object({ width: z.number(), height: z.number() }) }),
  ),
});
type DoclingDocument = Readonly<z.infer<typeof documentSchema>>;
type TextItem = DoclingDocument['texts'][number];

/**
 * What Docling finds in a paper, from its JSON form, a `DoclingDocument` (https://docling-project.github.io/docling). A formula
 * counts where Docling has read its LaTeX. Throws UnexpectedDocument for another document.
 * @param pages - of the PDF
 */
export function readDoclingDocument(json: unknown, pages: readonly PageSize[]): PaperParts {
  const parsed = documentSchema.safeParse(json);
  if (!parsed.success) throw new UnexpectedDocument('is no DoclingDocument');
  return partsInOrder(itemsInOrder(parsed.data, pages));
}

function itemsInOrder(
  document: DoclingDocument,
  pages: readonly PageSize[],
): readonly ListedItem[] {
  const { body, groups, texts, pictures, tables } = document;
  const textAt = new Map(texts.map((text) => [text.self_ref, text]));
  const pictureAt = new Map(pictures.map((picture) => [picture.self_ref, picture]));
  const tableAt = new Map(tables.map((table) => [table.self_ref, table]));
  const groupAt = new Map(groups.map((group) => [group.self_ref, group]));
  const captionOf = (captions: readonly string[]) => {
    const caption = captions
      .map((ref) => textAt.get(ref)?.text ?? '')
      .join(' ')
      .trim();
    return { caption, number: labelOf(caption)?.number ?? null };
  };
  const seen = new Set<string>();
  const walk = (ref: string): readonly ListedItem[] => {
    if (seen.has(ref)) return [];
    seen.add(ref);
    const text = textAt.get(ref);
    if (text)
      return [...textItems(text, placeOf(text, document, pages)), ...text.children.flatMap(walk)];
    // The texts inside pictures and tables belong to them.
    const picture = pictureAt.get(ref);
    if (picture) {
      return [
        { kind: 'figure', ...captionOf(picture.captions), ...placeOf(picture, document, pages) },
      ];
    }
    const table = tableAt.get(ref);
    if (table) {
      const html = htmlOf(table.data.table_cells);
      return table.label === 'document_index'
        ? []
        : [
            {
              kind: 'table',
              ...captionOf(table.captions),
              html,
              ...placeOf(table, document, pages),
            },
          ];
    }
    return (groupAt.get(ref)?.children ?? []).flatMap(walk);
  };
  return body.children.flatMap(walk);
}

function textItems(
  { label, text: printed, orig, level, marker, enumerated }: TextItem,
  place: PartPlace,
): readonly ListedItem[] {
  const text = printed.trim();
  switch (label) {
    case 'title':
      return text === '' ? [] : [{ kind: 'title', text, ...place }];
    case 'section_header':
      return text === '' ? [] : [{ kind: 'heading', text, level: level ?? 1, ...place }];
    case 'formula':
      return text === '' || text === orig.trim()
        ? []
        : [{ kind: 'equation', latex: text, number: null, ...place }];
    case 'list_item':
      return text === ''
        ? []
        : [{ kind: 'text', text: enumerated && marker ? `${marker} ${text}` : text, ...place }];
    // Heads, feet and notes of pages; captions stand with their figures.
    case 'page_header':
    case 'page_footer':
    case 'footnote':
    case 'caption':
      return [];
    default:
      return text === '' ? [] : [{ kind: 'text', text, ...place }];
  }
}

function placeOf(
  { prov }: { readonly prov: DoclingDocument['texts'][number]['prov'] },
  { pages: measured }: DoclingDocument,
  pages: readonly PageSize[],
): PartPlace {
  const [first] = prov;
  const page = first && pages[first.page_no - 1];
  if (first === undefined || page === undefined) return nowhere;
  const { width, height } = measured[String(first.page_no)]?.size ?? page;
  const { l, t, r, b, coord_origin } = first.bbox;
  const box: Box =
    coord_origin === 'TOPLEFT' ? [l, t, r - l, b - t] : [l, height - t, r - l, t - b];
  return { page: first.page_no, box: boxOnPage(box, [width, height], page) };
}

const htmlOf = (cells: readonly Readonly<z.infer<typeof cellSchema>>[]): string | null =>
  cells.every(({ text }) => text.trim() === '')
    ? null
    : tableHtml(
        cells.map((cell) => ({
          row: clampSpan(cell.start_row_offset_idx + 1) - 1,
          lastRow: clampSpan(cell.start_row_offset_idx + clampSpan(cell.row_span)) - 1,
          column: clampSpan(cell.start_col_offset_idx + 1) - 1,
          lastColumn: clampSpan(cell.start_col_offset_idx + clampSpan(cell.col_span)) - 1,
          text: cell.text.replace(/\s+/g, ' ').trim(),
          isHeader: cell.column_header,
        })),
      );
