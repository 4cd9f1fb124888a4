import { isMonospaced, sharedWidth, type BodyPrint } from '../body-print.js';
import { bottomOf, rightOf, unionOf } from '../boxes.js';
import type { Caption } from '../captions.js';
import type { Box, PageContent, TextLine } from '../page-content.js';
import { phrasesOf } from './columns.js';
import type { Grid } from './grid.js';
import { isTable, type TableOnPage } from './page-tables.js';
import { joinRules } from './rules.js';
import { textGrid } from './text-grid.js';
import { median, rowsOf, spaceOf, wordsOf, type Row, type Word } from './words.js';

/** What stands around a caption without a table. */
export interface Surroundings {
  readonly page: PageContent;
  readonly body: BodyPrint;
  /** Captions and tables, this caption left out: the table reaches across none. */
  readonly others: readonly Box[];
  /** Running heads, and the lines of captions and of other tables. */
  readonly apart: ReadonlySet<TextLine>;
  /** Where the tables of the paper usually are beside their captions. */
  readonly usualSide: CaptionSide;
}
export type CaptionSide = 'above' | 'below';

/**
 * The table of a caption that no rules show: rows of words in columns right above or below the caption, or one cell a row
 * where they have none, or a picture.
 */
export function unruledTable(caption: Caption, around: Surroundings): TableOnPage {
  const words = wordsOf(around.page).filter(({ line }) => !around.apart.has(line));
  const pageSpace = spaceOf(words);
  const sides: readonly CaptionSide[] =
    around.usualSide === 'above' ? ['above', 'below'] : ['below', 'above'];
  const blocks = sides
    .map((side) => rowsBeside(caption, side, words, pageSpace, around))
    .filter((rows) => rows.length > 0);
  for (const rows of blocks) {
    const grid = gridOf(rows, pageSpace, around.page);
    if (grid !== null) return { grid, box: boxOf(rows), isRead: true };
  }
  const [rows] = blocks;
  if (rows !== undefined) return { grid: linesAsCells(rows), box: boxOf(rows), isRead: false };
  const pictures = around.page.pictures.filter((box) => isNearPicture(box, caption.box));
  const box = pictures.length > 0 ? unionOf(pictures) : caption.box;
  return { grid: { cells: [], headerRows: 0 }, box, isRead: false };
}

/** In points: a table, or the picture of one, is at most so far from its caption. */
const farthest = 40;
/** In ems: more white space ends a table. */
const mostSpace = 3.2;

/** The rows on one side of a caption, up to the next running text, from the top. */
function rowsBeside(
  { box: own }: Caption,
  side: CaptionSide,
  words: readonly Word[],
  space: number,
  { page, body, others }: Surroundings,
): readonly Row[] {
  const [left, right] = bandOf(own, page);
  const band: Box = [left, 0, right - left, page.height];
  const walls = others.filter((wall) => sharedWidth(wall, band) > 2);
  const isAbove = side === 'above';
  const end = isAbove
    ? Math.max(0, ...walls.map(bottomOf).filter((y) => y <= own[1] + 2))
    : Math.min(page.height, ...walls.map(([, y]) => y).filter((y) => y >= bottomOf(own) - 2));
  const [top, bottom] = isAbove ? [end, own[1]] : [bottomOf(own), end];
  const inBand = words.filter(({ box: [x, y, width, height] }) => {
    const [middle, height2] = [x + width / 2, y + height / 2];
    return middle >= left && middle < right && height2 > top && height2 < bottom;
  });
  const rows = rowsOf(inBand);
  const margin = marginOf(page, band, body);
  const isTyped = isCode(words);
  const taken: Row[] = [];
  let edge = isAbove ? own[1] : bottomOf(own);
  for (const row of isAbove ? rows.toReversed() : rows) {
    const box = boxOf([row]);
    const gap = isAbove ? edge - bottomOf(box) : box[1] - edge;
    const most = taken.length === 0 ? farthest : mostSpace * row.fontSize;
    if (gap > most || row.fontSize > body.fontSize + 0.6) break;
    // Output of programs is no running text, unless all is typed.
    const isOutput = !isTyped && isCode(row.words);
    if (!isOutput && isProse(row, margin, space)) break;
    taken.push(row);
    edge = isAbove ? box[1] : bottomOf(box);
  }
  const kept = withoutLooseEnd(taken, space);
  return isAbove ? kept.toReversed() : kept;
}

/** From where to where a table may reach: over the caption's column or the page. */
function bandOf(caption: Box, { width, lines }: PageContent): readonly [number, number] {
  const centre = width / 2;
  const wide = lines.filter(({ box, upright }) => upright && box[2] > width * 0.3);
  const crossing = wide.filter(({ box }) => box[0] < width * 0.47 && rightOf(box) > width * 0.53);
  if (crossing.length > wide.length * 0.4) return [0, width];
  if (rightOf(caption) < centre + 5) return [0, centre];
  return caption[0] > centre - 5 ? [centre, width] : [0, width];
}

/** Where lines of running text begin in a part of the page, and how wide they are. */
interface Margin {
  readonly left: number;
  readonly measure: number;
}

function marginOf({ lines }: PageContent, band: Box, body: BodyPrint): Margin {
  const printed = lines.filter(
    ({ upright, fontSize, box }) =>
      upright && Math.abs(fontSize - body.fontSize) < 0.6 && sharedWidth(box, band) > box[2] / 2,
  );
  const widths = printed.map(({ box }) => box[2]).sort((a, b) => a - b);
  return {
    left: Math.min(...printed.map(({ box }) => box[0])),
    measure: widths[Math.floor(widths.length * 0.8)] ?? band[2],
  };
}

/** A line of words from the margin, without a wide gap. */
function isProse(row: Row, { left, measure }: Margin, space: number): boolean {
  const [x, , width] = boxOf([row]);
  const texts = row.words.filter(({ text }) => /\p{L}{2}/u.test(text));
  return (
    width > measure * 0.7 &&
    x < left + measure * 0.12 &&
    texts.length > row.words.length * 0.5 &&
    phrasesOf(row, space).length === 1
  );
}

const isCode = (words: readonly Word[]): boolean =>
  words.filter(({ font }) => isMonospaced(font)).length > words.length / 2;

/** Without single phrases after a space at the far end: a heading, or the last line of a paragraph. */
function withoutLooseEnd(rows: readonly Row[], space: number): readonly Row[] {
  const steps = rows.slice(1).map((row, index) => Math.abs(row.first - (rows[index]?.first ?? 0)));
  const usual = steps.length === 0 ? 0 : median(steps);
  const last = rows.findLastIndex((row) => phrasesOf(row, space).length > 1);
  const loose = steps.findIndex((step, index) => index >= last && step > usual * 1.4);
  return last === -1 || loose === -1 ? rows : rows.slice(0, loose + 1);
}

const boxOf = (rows: readonly Row[]): Box =>
  unionOf(rows.flatMap(({ words }) => words.map(({ box }) => box)));

function gridOf(rows: readonly Row[], pageSpace: number, page: PageContent): Grid | null {
  const words = rows.flatMap((row) => row.words);
  // Code has wider spaces than text, and output of programs more lines between its tables.
  const [space, least] = isCode(words) ? [spaceOf(words), 0.8] : [pageSpace, 0.5];
  const divided = rows.filter((row) => phrasesOf(row, space).length > 1);
  if (divided.length < 2 || divided.length < rows.length * least) return null;
  const [x, y, width, height] = boxOf(rows);
  const level = joinRules(page).level.filter(
    ({ at, from, to }) => at > y && at < y + height && from > x - 10 && to < x + width + 10,
  );
  const grid = textGrid(words, { level, upright: [] }, space);
  return grid !== null && isTable(grid) ? grid : null;
}

const linesAsCells = (rows: readonly Row[]): Grid => ({
  cells: rows.map(({ words }, row) => ({ row, lastRow: row, column: 0, lastColumn: 0, words })),
  headerRows: 0,
});

function isNearPicture(picture: Box, caption: Box): boolean {
  const gap = Math.max(picture[1] - bottomOf(caption), caption[1] - bottomOf(picture));
  return gap < farthest && sharedWidth(picture, caption) > 0;
}
