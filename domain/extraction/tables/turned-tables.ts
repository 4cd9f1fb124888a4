import type { Caption } from '../captions.js';
import type { Box, PageContent, TextLine } from '../page-content.js';
import { nearestCaption } from './caption-match.js';
import { tablesOnPage, type TableOnPage } from './page-tables.js';
import { unruledTable, type Surroundings } from './unruled-tables.js';

/** A table in landscape on a page in portrait: it is read as if the page had been turned. */
export function turnedTable(caption: Caption, around: Surroundings): TableOnPage {
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
