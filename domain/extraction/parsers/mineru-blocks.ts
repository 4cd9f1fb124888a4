import { z } from 'zod';
import type { MineruItem } from './mineru-item.js';
import { boxOnPage, UnexpectedDocument, type PageSize } from './paper-parts.js';

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
export function mineruBlocks(middle: unknown, pages: readonly PageSize[]): readonly MineruItem[] {
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
