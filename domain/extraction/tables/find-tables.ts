import { groupBy } from '../../groups.js';
import { sharedWidth, type BodyPrint } from '../body-print.js';
import { bottomOf } from '../boxes.js';
import { isContinued } from '../caption-label.js';
import type { Caption } from '../captions.js';
import type { PdfContent, TextLine, Box, PageContent } from '../page-content.js';
import type { PaperTable, Place } from '../paper.js';
import { matchCaptions, nearestCaption } from './caption-match.js';
import { appended, columnCount, toHtml } from './grid.js';
import { tablesOnPage, type TableOnPage } from './page-tables.js';
import { unruledTable, type CaptionSide, type Surroundings } from './unruled-tables.js';

/** A table with the lines of text that it consists of, those of its caption among them. */
export interface FoundTable {
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
