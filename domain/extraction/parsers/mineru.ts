import { z } from 'zod';
import { groupBy } from '../../statistics/means.js';
import { labelOf } from '../captions.js';
import type { Box } from '../page-content.js';
import { readHtmlTable } from './html-table.js';
import { boxOnPage, UnexpectedDocument, type PageSize, type PaperParts } from './paper-parts.js';
import { partsInOrder, type ListedItem } from './reading-order.js';

/**
 * The two files in which MinerU describes a paper, parsed: `NAME_content_list.json`, the items in reading order, and
 * `NAME_middle.json`, the blocks with their boxes (https://opendatalab.github.io/MinerU/reference/output_files). Null for one that is missing.
 */
interface MineruFiles {
  readonly contentList: unknown;
  readonly middle: unknown;
}

/**
 * What MinerU finds in a paper. Throws UnexpectedDocument where there is neither file, or one has another form.
 * @param pages - of the PDF
 */
export function readMineru(
  { contentList, middle }: MineruFiles,
  pages: readonly PageSize[],
): PaperParts {
  const blocks = middle === null ? null : mineruBlocks(middle, pages);
  if (contentList === null) {
    if (blocks === null) throw new UnexpectedDocument('has neither blocks nor a list of contents');
    return partsInOrder(blocks.flatMap((item) => listedItems(item, pages)));
  }
  const parsed = z.array(mineruItemSchema).safeParse(contentList);
  if (!parsed.success) throw new UnexpectedDocument('is no list of contents of MinerU');
  return partsInOrder(
    withBoxes(parsed.data, blocks ?? []).flatMap((item) => listedItems(item, pages)),
  );
}

/** Tables, figures and formulas get the boxes of the blocks of their type on their page, in order. */
function withBoxes(
  items: readonly MineruItem[],
  blocks: readonly MineruItem[],
): readonly MineruItem[] {
  const keyOf = ({ type, page_idx }: MineruItem): string => `${type} ${page_idx}`;
  const ofKey = groupBy(blocks, keyOf);
  return items.map((item) => {
    // Of texts, a list may have merged some.
    if (item.type === 'text') return item;
    return { ...item, box: ofKey.get(keyOf(item))?.shift()?.box ?? null };
  });
}

/** Boxes of a list of contents are in thousandths of the page. */
const wholePage = 1000;

function listedItems(item: MineruItem, pages: readonly PageSize[]): readonly ListedItem[] {
  const place = placeOf(item, pages);
  const text = (item.text ?? '').trim();
  switch (item.type) {
    case 'text': {
      if (text === '') return [];
      const level = item.text_level ?? 0;
      return [
        level > 0 ? { kind: 'heading', text, level, ...place } : { kind: 'text', text, ...place },
      ];
    }
    case 'list': {
      const kind = item.sub_type === 'ref_text' ? 'reference' : 'text';
      return (item.list_items ?? [text])
        .filter((entry) => entry.trim() !== '')
        .map((entry) => ({ kind, text: entry.trim(), page: place.page, box: null }));
    }
    case 'equation': {
      const latex = text.replace(/^\$+\s*|\s*\$+$/g, '');
      const number = /\\tag\s*\*?\s*\{\s*\(?([^{}()]+?)\)?\s*\}/.exec(latex)?.[1] ?? null;
      return latex === ''
        ? []
        : [
            {
              kind: 'equation',
              latex: latex.replace(/\s*\\tag\s*\*?\s*\{[^{}]*\}/g, ''),
              number,
              ...place,
            },
          ];
    }
    case 'code':
      return [...(item.code_caption ?? []), item.code_body ?? ''].flatMap((code) =>
        code.trim() === '' ? [] : [{ kind: 'text' as const, text: code.trim(), ...place }],
      );
    case 'image':
    case 'chart': {
      const caption = item.image_caption ?? item.img_caption ?? item.chart_caption ?? [];
      return [{ kind: 'figure', ...captionOf(caption), ...place }];
    }
    case 'table': {
      const caption = captionOf([...(item.table_caption ?? []), ...(item.table_footnote ?? [])]);
      return [{ kind: 'table', ...caption, html: readHtmlTable(item.table_body ?? ''), ...place }];
    }
    // Heads, feet, footnotes and margins of pages.
    default:
      return [];
  }
}

function captionOf(parts: readonly string[]) {
  const caption = parts
    .map((part) => part.trim())
    .join(' ')
    .trim();
  return { caption, number: labelOf(caption)?.number ?? null };
}

function placeOf({ page_idx, bbox, box }: MineruItem, pages: readonly PageSize[]) {
  const size = pages[page_idx];
  if (size === undefined) return { page: null, box: null };
  if (box || !bbox) return { page: page_idx + 1, box: box ?? null };
  const [left, top, right, bottom] = bbox;
  const [across, down] = [size.width / wholePage, size.height / wholePage];
  const inPoints: Box = [left * across, top * down, (right - left) * across, (bottom - top) * down];
  return { page: page_idx + 1, box: boxOnPage(inPoints, [size.width, size.height], size) };
}

const corners = z.tuple([z.number(), z.number(), z.number(), z.number()]);

const spanSchema = z.object({
  type: z.string().optional(),
  content: z.string().optional(),
  html: z.string().optional(),
});
const lineSchema = z.object({ spans: z.array(spanSchema).default([]) });

interface Block {
  readonly type: string;
  readonly bbox?: readonly number[] | undefined;
  readonly level?: number | undefined;
  readonly sub_type?: string | null | undefined;
  readonly lines: readonly z.infer<typeof lineSchema>[];
  readonly blocks: readonly Block[];
}

const blockSchema: z.ZodType<Block> = z.object({
  type: z.string(),
  bbox: corners.optional(),
  level: z.int().optional(),
  sub_type: z.string().nullish(),
  lines: z.array(lineSchema).default([]),
  get blocks() {
    return z.array(blockSchema).default([]);
  },
});

const middleSchema = z.object({
  pdf_info: z.array(
    z.object({
      page_idx: z.int().nonnegative(),
      page_size: z.tuple([z.number(), z.number()]),
      para_blocks: z.array(blockSchema),
    }),
  ),
});

/**
 * The blocks of `NAME_middle.json` as items of a list of contents, with boxes in points. Throws UnexpectedDocument for another
 * document.
 */
function mineruBlocks(middle: unknown, pages: readonly PageSize[]): readonly MineruItem[] {
  const parsed = middleSchema.safeParse(middle);
  if (!parsed.success) throw new UnexpectedDocument('has no blocks of MinerU');
  return parsed.data.pdf_info.flatMap(({ page_idx, page_size, para_blocks }) =>
    para_blocks.flatMap((block): MineruItem[] => {
      const fields = fieldsOf(block);
      if (fields === null) return [];
      // A block of a table or a figure reaches around its caption.
      const body = block.blocks.find(({ type }) => type.endsWith('_body')) ?? block;
      const [left = 0, top = 0, right = 0, bottom = 0] = body.bbox ?? block.bbox ?? [];
      const box = boxOnPage([left, top, right - left, bottom - top], page_size, pages[page_idx]);
      return [{ ...fields, page_idx, box }];
    }),
  );
}

function fieldsOf(block: Block): Omit<MineruItem, 'page_idx'> | null {
  const { type, blocks, level, sub_type } = block;
  /** The texts of the blocks of some types within this one. */
  const inside = (...types: readonly string[]): string[] =>
    blocks.filter((one) => types.includes(one.type)).map(textOf);
  switch (type) {
    case 'text':
    case 'abstract':
    case 'index':
      return { type: 'text', text: textOf(block) };
    case 'title':
    case 'doc_title':
    case 'paragraph_title':
      return { type: 'text', text: textOf(block), text_level: level ?? 1 };
    case 'interline_equation':
      return { type: 'equation', text: textOf(block) };
    case 'list':
    case 'ref_text':
      return {
        type: 'list',
        sub_type: type === 'list' ? sub_type : type,
        list_items: blocks.length > 0 ? blocks.map(textOf) : [textOf(block)],
      };
    case 'image':
    case 'chart':
      return { type, image_caption: inside('image_caption', 'chart_caption', 'caption') };
    case 'table': {
      const spans = blocks.flatMap(({ lines }) => lines.flatMap((line) => line.spans));
      return {
        type,
        table_caption: inside('table_caption', 'caption'),
        table_footnote: inside('table_footnote', 'footnote'),
        table_body: spans.find(({ html }) => html !== undefined)?.html ?? '',
      };
    }
    case 'code':
      return {
        type,
        code_caption: inside('code_caption'),
        code_body: inside('code_body').join('\n'),
      };
    default:
      return null;
  }
}

/** Lines are joined; a hyphen at the end of one that a small letter follows breaks a word. */
const textOf = (block: Block): string =>
  [...block.lines, ...block.blocks.flatMap(({ lines }) => lines)]
    .map(({ spans }) => spans.map(spanText).join(' ').trim())
    .reduce((text, line) => {
      if (text === '') return line;
      return /\p{L}-$/u.test(text) && /^\p{Ll}/u.test(line)
        ? text.slice(0, -1) + line
        : `${text} ${line}`;
    }, '');

const spanText = ({ type, content = '' }: z.infer<typeof spanSchema>): string =>
  type === 'inline_equation' ? `$${content.trim()}$` : content.trim();

const texts = z.array(z.string()).optional();

/** An item of MinerU's list of contents. Versions before 2 call the captions of images `img_caption` and give no boxes. */
const mineruItemSchema = z.object({
  type: z.string(),
  page_idx: z.int().nonnegative(),
  bbox: z.tuple([z.number(), z.number(), z.number(), z.number()]).nullish(),
  text: z.string().optional(),
  text_level: z.int().nonnegative().optional(),
  sub_type: z.string().nullish(),
  list_items: texts,
  image_caption: texts,
  img_caption: texts,
  chart_caption: texts,
  table_caption: texts,
  table_footnote: texts,
  table_body: z.string().optional(),
  code_caption: texts,
  code_body: z.string().optional(),
});
type MineruItem = Readonly<z.infer<typeof mineruItemSchema>> & {
  /** In points, where the middle file tells it. */
  readonly box?: Box | null;
};
