import { z } from 'zod';
import {
  bottomOf,
  grown,
  holdsMiddle,
  rightOf,
  unionOf,
  type Box,
} from '../../extraction/page-content.js';
import { countsOf } from '../../statistics/means.js';
import { partOf, type PaperItem, type ShownPaper } from './shown-paper.js';

/** A line as the PDF prints it. */
export interface PrintedText {
  readonly text: string;
  readonly box: Box;
}

/** Neighbouring lines of one item, or of none. */
export interface TextBlock {
  /** The id of the item whose text it is; null where no item has it. */
  readonly item: string | null;
  /** Whether it is the heading of a section. */
  readonly isHeading: boolean;
  readonly box: Box;
  readonly text: string;
}

/** Left-out text on at least this many pages is a running head or a page number. */
const fewestPages = 3;

/** Of blocks that no item has, those whose text, but for its numbers, is on several pages. */
export function runningHeads(pages: readonly (readonly TextBlock[])[]): ReadonlySet<TextBlock> {
  const keyOf = ({ text }: TextBlock): string => text.replaceAll(/\p{N}+/gu, '0');
  const left = pages.map((blocks) => blocks.filter(({ item }) => item === null));
  const counts = countsOf(left.flatMap((blocks) => [...new Set(blocks.map(keyOf))]));
  return new Set(left.flat().filter((block) => (counts.get(keyOf(block)) ?? 0) >= fewestPages));
}

/**
 * Which text of a page each item has, and which text no item has. Lines in the box of a table, figure, equation, reference
 * or footnote are left out, as are those without letters and digits.
 * @param page - from 1
 * @param lines - in reading order
 */
export function placeLines(
  paper: ShownPaper,
  page: number,
  lines: readonly PrintedText[],
): readonly TextBlock[] {
  const boxes = paper.items.flatMap((item) =>
    item.page === page && item.box !== null ? [grown(item.box, slack)] : [],
  );
  const placeOf = textFinder(paper, page);
  const blocks: TextBlock[] = [];
  for (const { text, box } of lines) {
    const letters = lettersOf(text);
    if (letters === '' || boxes.some((area) => holdsMiddle(area, box))) continue;
    const line = { ...placeOf(letters), box, text };
    const last = blocks.at(-1);
    if (last !== undefined && goesOn(last, line)) {
      const joined = { box: unionOf([last.box, box]), text: `${last.text}\n${text}` };
      blocks[blocks.length - 1] = { ...last, ...joined };
    } else blocks.push(line);
  }
  return blocks;
}

/** The share of the letters and digits of a page that is in some of its blocks. */
export function shareOf(
  blocks: readonly Pick<TextBlock, 'text'>[],
  lines: readonly Pick<PrintedText, 'text'>[],
): number {
  const count = (texts: readonly { readonly text: string }[]): number =>
    texts.reduce((sum, { text }) => sum + lettersOf(text).length, 0);
  return count(blocks) / Math.max(1, count(lines));
}

/** Points by which ink may leave the box that was found. */
const slack = 1;

/** Words are joined and marks moved when a text is read: only letters and digits are compared. */
const lettersOf = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

type LineOwner = Pick<TextBlock, 'item' | 'isHeading'>;

/** Shorter lines, such as numbers of pages, stand in any text: they count only where the text goes on. */
const fewestLetters = 5;
/** How far a text may go on after the line before, in letters and digits. */
const nearby = 40;

/** Finds whose text a line is. Lines are asked for in reading order. */
function textFinder({ items }: ShownPaper, page: number): (letters: string) => LineOwner {
  const texts = items.filter((item) => isNear(item, page)).flatMap(searchable);
  const headings = items.flatMap((item) => {
    const { kind, id, number, pages } = item;
    if (kind !== 'section' || pages[0] !== page) return [];
    const title = lettersOf(partOf(item, 'title'));
    return [{ id, title, whole: lettersOf(number ?? '') + title }];
  });
  const at = new Map<string, number>();
  let last: string | null = null;
  return (letters) => {
    const heading = headings.find(({ title, whole }) =>
      [title, whole].some((each) => each !== '' && isPartOfHeading(letters, each)),
    );
    if (heading !== undefined) return { item: heading.id, isHeading: true };
    // A text goes on rather than that another one has the same words.
    const inOrder = [...texts].sort((a, b) => Number(b.id === last) - Number(a.id === last));
    for (const { id, text } of inOrder) {
      const from = at.get(id) ?? 0;
      const next = text.indexOf(letters, from);
      const isLong = letters.length >= fewestLetters;
      const goesOnThere = next >= 0 && next - from <= nearby;
      const place = isLong && next < 0 ? text.indexOf(letters) : isLong || goesOnThere ? next : -1;
      if (place < 0) continue;
      at.set(id, place + letters.length);
      last = id;
      return { item: id, isHeading: false };
    }
    return { item: null, isHeading: false };
  };
}

/** A heading may take several lines, and text may stand after one. */
const isPartOfHeading = (letters: string, heading: string): boolean =>
  letters === heading ||
  (letters.length >= fewestLetters && (heading.startsWith(letters) || heading.endsWith(letters))) ||
  (heading.length >= fewestLetters && letters.startsWith(heading));

/** A reference or footnote may go on over the page. */
const isNear = ({ pages, kind }: PaperItem, page: number): boolean =>
  pages.includes(page) ||
  (pages.includes(page - 1) && ['reference', 'footnote', 'table', 'front'].includes(kind));

/** The text of an item that may stand outside of its box. An abstract is whole, in one of the parts. */
const searchable = (item: PaperItem): readonly { readonly id: string; readonly text: string }[] => {
  const text = item.parts
    .filter(({ form, name }) => form === 'text' && name !== 'summary')
    .map((part) => lettersOf(part.text))
    .join('');
  return text === '' ? [] : [{ id: item.id, text }];
};

/** Lines further apart than this many times their height are blocks of their own. */
const widestGap = 1.2;

/** Whether a line stands below the last block, or beside its last line, and is of the same item. */
function goesOn(last: TextBlock, line: TextBlock): boolean {
  if (last.item !== line.item || last.isHeading !== line.isHeading) return false;
  const gap = line.box[1] - bottomOf(last.box);
  const isBelow = gap > -line.box[3] && gap < widestGap * line.box[3];
  return isBelow && line.box[0] < rightOf(last.box) && rightOf(line.box) > last.box[0];
}

/** What `view-pages` is asked for. */
export const viewRequestSchema = z.object({
  /** Of a PDF. */
  path: z.string(),
  /** From 1. */
  pages: z.array(z.int().positive()),
  /** Base64 characters of all pictures together; pages after that have no picture. */
  mostPicture: z.int().nonnegative(),
});
export type ViewRequest = Readonly<z.infer<typeof viewRequestSchema>>;

const pageViewSchema = z.object({
  kind: z.literal('page'),
  page: z.int().positive(),
  /** In points. */
  width: z.number(),
  height: z.number(),
  /** A PNG in base64; null where the pictures before it were too large. */
  picture: z.string().nullable(),
  /** In reading order. Boxes are those of `page-content.ts`. */
  lines: z.array(
    z.object({
      text: z.string(),
      box: z.tuple([z.number(), z.number(), z.number(), z.number()]).readonly(),
    }),
  ),
});
export type PageView = Readonly<z.infer<typeof pageViewSchema>>;

/** A line of the output of `view-pages`. */
export const viewLineSchema = z.discriminatedUnion('kind', [
  /** Which page it begins, since PDFium may stop in it. */
  z.object({ kind: z.literal('begins'), page: z.int().positive() }),
  pageViewSchema,
  z.object({ kind: z.literal('no-page'), page: z.int().positive() }),
  z.object({ kind: z.literal('unreadable') }),
]);
export type ViewLine = Readonly<z.infer<typeof viewLineSchema>>;
