import { groupNeighbours } from '../../groups.js';
import { sharedWidth } from '../body-print.js';
import { bottomOf } from '../boxes.js';
import type { PageContent, TextLine } from '../page-content.js';
import { cellsOf, squash, unmarked } from './cells.js';
import { namesAnIssue } from './imprint.js';

export interface PrintedTitle {
  readonly title: string;
  readonly subtitle: string | null;
  /** The lines of both. */
  readonly lines: readonly TextLine[];
}

/** Lines in one size below each other. */
interface Block {
  readonly lines: readonly TextLine[];
  readonly fontSize: number;
}

/**
 * The title as a page prints it: what the title property says if the page prints that, else the block in the largest font.
 * @param bodySize - the font size of the running text
 */
export function findTitle(
  page: PageContent,
  stated: string,
  bodySize: number,
): PrintedTitle | undefined {
  const lines = page.lines.filter(({ upright, text }) => upright && /[\p{L}\p{N}]/u.test(text));
  const blocks = blocksOf(lines);
  const found = findStated(blocks, stated, bodySize) ?? findLargest(blocks, page, bodySize);
  return found && lostLetters(found.title, stated) ? { ...found, title: tidy(stated) } : found;
}

/** Whether a print differs from what is stated only by letters that it lost, as some fonts do not say what their glyphs mean. */
function lostLetters(printed: string, stated: string): boolean {
  const [found, wanted] = [squash(printed), squash(stated)];
  let at = 0;
  for (const letter of wanted) if (letter === found[at]) at += 1;
  return at === found.length && found.length < wanted.length && found.length > 0.75 * wanted.length;
}

/** Of titles, sizes that differ less are equal. A part of a title may be set in another font. */
const sameSize = (a: number, b: number): boolean => Math.abs(a - b) <= 0.04 * Math.max(a, b);

/** Line pitch of titles, in font sizes. */
const widestPitch = 1.75;

const blocksOf = (lines: readonly TextLine[]): readonly Block[] =>
  groupNeighbours(lines, goesOn).map((block) => ({
    lines: block,
    fontSize: block[0]?.fontSize ?? 0,
  }));

function goesOn(line: TextLine, before: TextLine): boolean {
  const pitch = bottomOf(line.box) - bottomOf(before.box);
  const height = Math.max(line.fontSize, before.fontSize, line.box[3], before.box[3]);
  const beside = Math.abs(pitch) < height * 0.4;
  return (
    sameSize(line.fontSize, before.fontSize) &&
    pitch < widestPitch * height &&
    (beside || (pitch > 0 && sharedWidth(line.box, before.box) > 0))
  );
}

/** The longest title in blocks. */
const mostLines = 7;

function findStated(
  blocks: readonly Block[],
  stated: string,
  bodySize: number,
): PrintedTitle | undefined {
  const wanted = squash(stated);
  if (!/\p{L}.*\p{L}/u.test(wanted) || wanted.length < 4) return undefined;
  const lines = blocks.flatMap((block) => block.lines);
  for (const [start, first] of lines.entries()) {
    if (first.fontSize < bodySize * 0.95) continue;
    for (let count = 1; count <= mostLines; count += 1) {
      const printed = lines.slice(start, start + count);
      const text = squash(plain(printed));
      if (text === wanted) {
        const block = blocks.find((candidate) => candidate.lines.includes(first));
        const rest = block?.lines.slice(block.lines.indexOf(first) + count) ?? [];
        const goesOnAsTitle = first.fontSize > bodySize * largerThanBody ? rest : [];
        return {
          title: tidy(stated),
          subtitle: goesOnAsTitle.length === 0 ? null : plain(goesOnAsTitle),
          lines: [...printed, ...goesOnAsTitle],
        };
      }
      if (!wanted.startsWith(text)) break;
    }
  }
  return undefined;
}

/** Titles are larger than the running text by at least this factor, if they are larger at all. */
const largerThanBody = 1.12;

/** So many blocks in one size are labels of a drawing rather than titles. */
const asManyAsLabels = 4;

const headings =
  /^(abstract|summary|contents|table of contents|introduction|(1|I)\.?\s+\p{L}.*|references|outline|overview)\W*$/iu;

function findLargest(
  blocks: readonly Block[],
  page: PageContent,
  bodySize: number,
): PrintedTitle | undefined {
  const firstHeading = blocks.findIndex(startsWithHeading);
  const above = firstHeading < 1 ? blocks : blocks.slice(0, firstHeading);
  // Below a heading, what is set like it is a heading, too.
  const heading = firstHeading === 0 ? blocks[0] : undefined;
  const candidates = above.filter(
    (block) =>
      hasWords(block.lines) &&
      !isMasthead(block, above) &&
      !startsWithHeading(block) &&
      !(heading && isSetLike(block, heading)),
  );
  const large = candidates.filter(
    ({ fontSize }) =>
      fontSize > bodySize * largerThanBody &&
      candidates.filter((other) => sameSize(other.fontSize, fontSize)).length < asManyAsLabels,
  );
  const largest = Math.max(0, ...large.map(({ fontSize }) => fontSize));
  const block =
    large.find(({ fontSize }) => sameSize(fontSize, largest)) ??
    candidates.find((candidate) => standsOut(candidate, page, bodySize));
  return block && { title: plain(block.lines), subtitle: null, lines: block.lines };
}

const startsWithHeading = ({ lines: [line] }: Block): boolean => headings.test(line?.text ?? '');

const isSetLike = (one: Block, other: Block): boolean =>
  sameSize(one.fontSize, other.fontSize) && one.lines[0]?.bold === other.lines[0]?.bold;

const hasWords = (lines: readonly TextLine[]): boolean =>
  lines.some(({ text }) => /\p{L}{2}/u.test(text));

/** The name of a journal or a series above the title, with its volume or date below. */
function isMasthead(block: Block, all: readonly Block[]): boolean {
  const text = plain(block.lines);
  if (/^(\d+|https?:.*|www\..*|arxiv.*)$/i.test(text)) return true;
  const below = all.slice(all.indexOf(block) + 1);
  const next = below[0]?.lines[0]?.text ?? '';
  const periodical =
    /\b(journal|proceedings|transactions|letters|annals|bulletin|magazine|review|reports?|papers?|series|notes|news)\b/i;
  return periodical.test(text) && (namesAnIssue(next) || namesAnIssue(text)) && below.length > 1;
}

/** In the size of the running text, a title is a short block of its own that is centred, bold or in capitals. */
function standsOut({ lines, fontSize }: Block, page: PageContent, bodySize: number): boolean {
  const text = plain(lines);
  const centred = lines.every(
    ({ box }) => Math.abs(box[0] + box[2] / 2 - page.width / 2) < page.width * 0.04,
  );
  const capitals = text === text.toUpperCase() && /\p{Lu}{3}/u.test(text);
  return (
    lines.length <= 4 &&
    fontSize > bodySize * 0.95 &&
    text.includes(' ') &&
    centred &&
    (capitals || lines.every(({ bold }) => bold))
  );
}

/** On one line and without the marks of footnotes. */
const plain = (lines: readonly TextLine[]): string =>
  tidy(
    lines
      .flatMap(cellsOf)
      .map(({ text }) => unmarked(text))
      .join(' '),
  );

const tidy = (text: string): string => text.replace(/\s+/g, ' ').trim();
