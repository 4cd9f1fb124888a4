import { z } from 'zod';
import { labelOf } from '../caption-label.js';
import type { Box } from '../page-content.js';
import { readHtmlTable } from './html-table.js';
import { mineruBlocks } from './mineru-blocks.js';
import { mineruItemSchema, type MineruItem } from './mineru-item.js';
import { boxOnPage, UnexpectedDocument, type PageSize, type PaperParts } from './paper-parts.js';
import { partsInOrder, type ListedItem } from './reading-order.js';

/**
 * The two files in which MinerU describes a paper, parsed: `NAME_content_list.json`, the items in reading order, and
 * `NAME_middle.json`, the blocks with their boxes (https://opendatalab.github.io/MinerU/reference/output_files). Null for one that is missing.
 */
export interface MineruFiles {
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
  const boxes = new Map<string, (Box | null)[]>();
  for (const block of blocks) {
    boxes.set(keyOf(block), [...(boxes.get(keyOf(block)) ?? []), block.box ?? null]);
  }
  return items.map((item) => {
    // Of texts, a list may have merged some.
    if (item.type === 'text') return item;
    return { ...item, box: boxes.get(keyOf(item))?.shift() ?? null };
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
