import { groupBy } from '../../statistics/means.js';
import { sharedWidth, isMonospaced, type BodyPrint } from '../lines.js';
import { isContinued, type Caption } from '../captions.js';
import {
  bottomOf,
  rightOf,
  unionOf,
  type PdfContent,
  type TextLine,
  type Box,
  type PageContent,
} from '../page-content.js';
import type { PaperTable, Place } from '../paper.js';
import { phrasesOf, median, rowsOf, spaceOf, wordsOf, type Row, type Word } from './columns.js';
import { appended, columnCount, toHtml, joinRules, type Grid } from './grid.js';
import {
  matchCaptions,
  nearestCaption,
  tablesOnPage,
  isTable,
  type TableOnPage,
} from './page-tables.js';
import { textGrid } from './text-grid.js';

/** A table with the lines of text that it consists of, those of its caption among them. */
interface FoundTable {
  readonly table: PaperTable & Place;
  readonly lines: readonly TextLine[];
}

/** A table with its caption, while the tables of a document are compared with each other. */
interface Captioned extends TableOnPage {
  readonly page: number;
  readonly caption: Caption | null;
}

/**
 * The tables of a document in the order of its pages, each column of a page from the top. A part on a further page or in a further
 * column belongs to the table that it goes on with, whose page and box are those of its first part.
 * @param captions - those of figures as well, since a chart with rules is no table
 */
export function findTables(
  content: PdfContent,
  body: BodyPrint,
  captions: readonly Caption[],
  runningHeads: ReadonlySet<TextLine>,
): readonly FoundTable[] {
  const ruled = content.pages.map((page, index) => {
    const own = captions.filter((caption) => caption.page === index + 1);
    const found = tablesOnPage(page, own);
    const matches = matchCaptions(
      found.map(({ box }) => box),
      own.filter(({ kind }) => kind === 'table'),
    );
    return found.map((table): Captioned => ({
      ...table,
      page: index + 1,
      caption: matches.get(table.box) ?? null,
    }));
  });
  const unruled = unruledTables(content, body, captions, runningHeads, ruled.flat());
  const tables = [...ruled.flat(), ...unruled].sort(
    (a, b) => a.page - b.page || columnOf(a, content) - columnOf(b, content) || a.box[1] - b.box[1],
  );
  const firsts = firstParts(tables, content);
  const wholes = groupBy(tables, (table) => firsts.get(table) ?? table);
  return [...wholes].map(([{ page, box, caption }, parts]) => {
    const grid = parts.map((part) => part.grid).reduce(appended);
    const lines = parts.flatMap((part) => [
      ...(part.isRead ? part.grid.cells : []).flatMap(({ words }) => words.map(({ line }) => line)),
      ...(part.caption?.lines ?? []),
    ]);
    const [text, number] = [caption?.text ?? '', caption?.number ?? null];
    return {
      table: { page, box, caption: text, number, html: toHtml(grid) },
      lines: [...new Set(lines)],
    };
  });
}

/** One table for each caption of a table that is not among those of the ruled tables. */
function unruledTables(
  { pages }: PdfContent,
  body: BodyPrint,
  captions: readonly Caption[],
  runningHeads: ReadonlySet<TextLine>,
  ruled: readonly Captioned[],
): readonly Captioned[] {
  const known = new Set(ruled.map(({ caption }) => caption));
  const usualSide = usualSideOf(ruled);
  const found: Captioned[] = [];
  for (const caption of captions) {
    const page = pages[caption.page - 1];
    if (page === undefined || caption.kind !== 'table' || known.has(caption)) continue;
    const tables = [...ruled, ...found].filter((table) => table.page === caption.page);
    const others = captions.filter((other) => other !== caption && other.page === caption.page);
    const cells = tables.flatMap(({ grid }) => grid.cells.flatMap(({ words }) => words));
    const isTurned = caption.lines[0]?.upright === false;
    const table = (isTurned ? turnedTable : unruledTable)(caption, {
      page,
      body,
      others: [...others, ...tables].map(({ box }) => box),
      apart: new Set([
        ...runningHeads,
        ...[caption, ...others].flatMap(({ lines }) => lines),
        ...cells.map(({ line }) => line),
      ]),
      usualSide,
    });
    found.push({ ...table, page: caption.page, caption });
  }
  return found;
}

function usualSideOf(tables: readonly Captioned[]): CaptionSide {
  const tops = tables.flatMap(({ box, caption }) =>
    caption === null ? [] : [box[1] < caption.box[1]],
  );
  return tops.filter(Boolean).length > tops.length / 2 ? 'above' : 'below';
}

/** The first part of every table that goes on from the page before. */
function firstParts(
  tables: readonly Captioned[],
  content: PdfContent,
): ReadonlyMap<Captioned, Captioned> {
  const firsts = new Map<Captioned, Captioned>();
  for (const [index, table] of tables.entries()) {
    const before = tables[index - 1];
    const own = table.caption;
    const known = tables.find(
      ({ caption }) =>
        own !== null &&
        caption?.number === own.number &&
        (isContinued(own.text) || caption.text === own.text),
    );
    if (known !== undefined && known !== table) {
      firsts.set(table, known);
    } else if (before !== undefined && own === null && goesOn(before, table, content)) {
      const first = firsts.get(before) ?? before;
      // Without any caption, tables of one form are likely to be several.
      if (first.caption !== null) firsts.set(table, first);
    }
  }
  return firsts;
}

/** Whether a table is the last thing in its column and the next one, as wide and divided, the first in the next column or page. */
function goesOn(before: Captioned, table: Captioned, content: PdfContent): boolean {
  const linesOf = ({ page, box }: Captioned): readonly TextLine[] =>
    content.pages[page - 1]?.lines.filter((line) => sharedWidth(line.box, box) > 0) ?? [];
  const below = linesOf(before).filter(({ box }) => box[1] > bottomOf(before.box));
  const above = linesOf(table).filter(({ box }) => bottomOf(box) < table.box[1]);
  const [from, to] = [columnOf(before, content), columnOf(table, content)];
  const isNext =
    table.page === before.page ? to > from : table.page === before.page + 1 && to <= from;
  const alike = (from === to ? [0, 2] : [2]).every((side) => {
    const [a, b] = [before.box[side] ?? 0, table.box[side] ?? 0];
    return Math.abs(a - b) < widestDifference;
  });
  return (
    isNext &&
    Math.max(above.length, below.length) <= mostFooterLines &&
    alike &&
    columnCount(before.grid) === columnCount(table.grid)
  );
}

/** 1 in the right half of its page, else 0. */
const columnOf = ({ page, box }: Captioned, { pages }: PdfContent): number =>
  box[0] > (pages[page - 1]?.width ?? Infinity) / 2 ? 1 : 0;

/** Of two parts of a table, in points. */
const widestDifference = 10;
/** Page number, running foot and a note that the table goes on. */
const mostFooterLines = 3;

/** A table in landscape on a page in portrait: it is read as if the page had been turned. */
function turnedTable(caption: Caption, around: Surroundings): TableOnPage {
  const turn = turnOf(caption, around.page);
  const lines = new Map(
    around.page.lines
      .filter(({ upright }) => !upright)
      .map((line) => [levelled(line, turn), line] as const),
  );
  const page = turnedPage(around.page, [...lines.keys()], turn);
  const own = { ...caption, box: turn.box(caption.box), lines: [] };
  const apart = new Set(
    [...lines].flatMap(([line, printed]) => (around.apart.has(printed) ? [line] : [])),
  );
  const free = { ...page, lines: page.lines.filter((line) => !apart.has(line)) };
  const table =
    tablesOnPage(free, [own]).find(({ box }) => nearestCaption(box, [own]) !== undefined) ??
    unruledTable(own, { ...around, page, others: around.others.map(turn.box), apart });
  const cells = table.grid.cells.map((cell) => ({
    ...cell,
    words: cell.words.map((word) => ({ ...word, line: lines.get(word.line) ?? word.line })),
  }));
  return { ...table, grid: { ...table.grid, cells }, box: turn.back(table.box) };
}

/** Places on a page in portrait and on the same page in landscape. */
interface Turn {
  readonly box: (box: Box) => Box;
  readonly back: (box: Box) => Box;
}

function turnOf({ lines }: Caption, { width, height }: PageContent): Turn {
  const runs = lines[0]?.runs ?? [];
  const readsUpwards = (runs[0]?.box[1] ?? 0) >= (runs.at(-1)?.box[1] ?? 0);
  const left: Turn['box'] = ([x, y, w, h]) => [y, width - x - w, h, w];
  const right: Turn['box'] = ([x, y, w, h]) => [height - y - h, x, h, w];
  return readsUpwards
    ? { box: right, back: ([x, y, w, h]) => [y, height - x - w, h, w] }
    : { box: left, back: ([x, y, w, h]) => [width - y - h, x, h, w] };
}

/** In ems, as in most fonts. */
const descent = 0.2;

function levelled(line: TextLine, { box }: Turn): TextLine {
  const runs = line.runs.map((run) => {
    const [x, y, width, height] = box(run.box);
    const below = /[gjpqy,;()[\]]/.test(run.text) ? descent * run.fontSize : 0;
    return { ...run, box: [x, y, width, height] as const, baseline: y + height - below };
  });
  return { ...line, runs, box: box(line.box), upright: true };
}

const turnedPage = (page: PageContent, lines: readonly TextLine[], { box }: Turn): PageContent => ({
  ...page,
  width: page.height,
  height: page.width,
  lines,
  rules: page.rules.map(box),
  drawings: page.drawings.map(box),
  pictures: page.pictures.map(box),
});

/** What stands around a caption without a table. */
interface Surroundings {
  readonly page: PageContent;
  readonly body: BodyPrint;
  /** Captions and tables, this caption left out: the table reaches across none. */
  readonly others: readonly Box[];
  /** Running heads, and the lines of captions and of other tables. */
  readonly apart: ReadonlySet<TextLine>;
  /** Where the tables of the paper usually are beside their captions. */
  readonly usualSide: CaptionSide;
}
type CaptionSide = 'above' | 'below';

/**
 * The table of a caption that no rules show: rows of words in columns right above or below the caption, or one cell a row
 * where they have none, or a picture.
 */
function unruledTable(caption: Caption, around: Surroundings): TableOnPage {
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
