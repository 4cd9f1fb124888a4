// cspell:ignore agradecimientos anhang bibliogr bibliograf bibliografici bibliographiques danksagung ficas literaturverzeichnis ncias ndice quellen referencias remerciements resumen riferimenti verzeichnis
import { groupNeighbours } from '../../groups.js';
import { baselineOf, mostCommon, sharedWidth } from '../body-print.js';
import { namesPlace } from '../front-matter/authors.js';
import { leadingNames } from '../front-matter/names.js';
import type { PdfContent, TextLine } from '../page-content.js';

/** A row of a list of references: the lines on one baseline of one column. */
export interface ListRow {
  readonly lines: readonly TextLine[];
  readonly text: string;
  /** From 1. */
  readonly page: number;
  /** The left edge, from that of the list in the same column, in points. */
  readonly indent: number;
  /** From the bottom of the row above to the top of this one, in points; 0 at the top of a column. */
  readonly gap: number;
  readonly fontSize: number;
}

export interface ReferenceList {
  readonly heading: TextLine;
  readonly rows: readonly ListRow[];
}

const title =
  /^(?:(?:\d+(?:\.\d+)*|[A-Z]|[IVX]+)\.?\s+|(?:\d+|[一二三四五六七八九十]+)[.、．]?\s*(?=[参參引文]))?(?:list of )?(?:references?(?: cited)?|bibliography|literature(?: cited)?|works cited|literatur|r[ée]f[ée]rences|bibliographie|references and notes|notes and references|references and further reading|literaturverzeichnis|quellen(?:verzeichnis)?|r[ée]f[ée]rences bibliographiques|referencias(?: bibliogr[áa]ficas)?|refer[êe]ncias(?: bibliogr[áa]ficas)?|bibliograf[íi]a|riferimenti(?: bibliografici)?|[参參]\s*考\s*文\s*[献獻]|引\s*用\s*文\s*献|文\s*献)\s*[:：.]?$/iu;

/** Characters. */
const longestTitle = 45;

/** What may follow a list of references without being part of it. */
const afterList =
  /^(?:(?:[A-Z]|\d{1,2})\.?\d?\s+)?(?:appendix|appendices|supplement\p{L}*|affiliation|authors?['’]? address(?:es)?|about the authors?|acknowledge?ments?|index|corresponding author|received|submitted|online (?:appendix|resources)|biograph\p{L}*|checklist|license|anhang|annexes?|ap[ée]ndice|danksagung|remerciements|agradecimientos|resumen|abstract)\b(?!.*\b(?:19|20)\d\d\b)|^(?:附\s*[录錄録]|付\s*録|致\s*[谢謝]|[谢謝]\s*辞|作者[简簡]介|收稿日期|英文摘要)/iu;

/**
 * The lists of references of a paper, mostly one.
 * @param dropped - running heads, page numbers and other lines that are no text
 */
export function findReferenceLists(
  { pages }: PdfContent,
  dropped: ReadonlySet<TextLine>,
): readonly ReferenceList[] {
  const lines = pages.flatMap((page, index) =>
    page.lines
      .filter((line) => line.upright && !dropped.has(line))
      .map((line) => ({ line, page: index + 1 })),
  );
  const starts = lines.flatMap(({ line, page }, index) =>
    line.text.length <= longestTitle &&
    title.test(line.text.trim()) &&
    standsAlone(line, pages[page - 1]?.lines ?? [])
      ? [index]
      : [],
  );
  return starts.flatMap((start, index) => {
    const heading = lines[start]?.line;
    const following = lines.slice(start + 1, starts[index + 1]);
    if (heading === undefined || following.length === 0) return [];
    return [{ heading, rows: rowsOf(untilEnd(heading, following)) }];
  });
}

interface PlacedLine {
  readonly line: TextLine;
  readonly page: number;
}

/** An entry of a table of contents has its page number on the same line, the head of a column other heads. */
const standsAlone = (line: TextLine, all: readonly TextLine[]): boolean =>
  !all.some(
    (other) =>
      other !== line &&
      other.text.length < longestCell &&
      Math.abs(baselineOf(other) - baselineOf(line)) < 2,
  );

/** Characters. Lines of another column are longer. */
const longestCell = 25;

/** A list ends at the next heading, or at the addresses of the authors. */
function untilEnd(heading: TextLine, lines: readonly PlacedLine[]): readonly PlacedLine[] {
  const size = commonSize(lines.slice(0, 12).map(({ line }) => line));
  const end = lines.findIndex(({ line }, index) => {
    const larger = line.fontSize > size * 1.12 && /\p{L}{3}/u.test(line.text);
    const asHeading =
      heading.fontSize > size * 1.05 &&
      Math.abs(line.fontSize - heading.fontSize) < 0.3 &&
      /\p{L}{3}/u.test(line.text);
    return (
      larger ||
      asHeading ||
      afterList.test(line.text) ||
      isSectionHeading(line, heading, size) ||
      beginsAddress(lines.slice(index, index + mostAddressLines), lines[index - 1])
    );
  });
  // Much smaller type is that of a figure's labels or a footnote.
  return (end === -1 ? lines : lines.slice(0, end)).filter(
    ({ line }) => line.fontSize > size * 0.8,
  );
}

const mostAddressLines = 10;

/** Whether lines apart begin with a name, and go on with a place and an e-mail address, but with no year as entries have. */
function beginsAddress(lines: readonly PlacedLine[], before: PlacedLine | undefined): boolean {
  const end = lines.findIndex(({ line }) => /[\w.-]@[\w-]+\.\w/.test(line.text));
  const [first] = lines;
  if (end === -1 || first === undefined || before === undefined) return false;
  const pitch = baselineOf(first.line) - baselineOf(before.line);
  const text = lines
    .slice(0, end + 1)
    .map(({ line }) => line.text)
    .join(' ');
  return (
    (pitch < 0 || pitch > first.line.fontSize * 1.5) &&
    leadingNames(first.line.text).length > 0 &&
    namesPlace(text) &&
    !/\b(?:1[6-9]|20)\d\d[a-z]?(?=[.,;:)\]]|$)/.test(text)
  );
}

/** A numbered heading in the font of the heading above the list, where that is no larger than the list. */
function isSectionHeading(line: TextLine, heading: TextLine, size: number): boolean {
  const font = heading.runs[0]?.font;
  return (
    /^(?:[A-Z]|\d{1,2})(?:\.\d+)*\.?\s+\p{Lu}/u.test(line.text) &&
    line.text.length < 80 &&
    line.fontSize > size * 0.98 &&
    line.runs.every((run) => run.font === font) &&
    !/\b(?:19|20)\d\d\b/.test(line.text)
  );
}

const commonSize = (lines: readonly TextLine[]): number =>
  mostCommon(lines, ({ fontSize }) => fontSize) ?? 0;

/** Joins the lines of a row, e.g. a label and its entry, and measures the rows in their columns. */
function rowsOf(lines: readonly PlacedLine[]): readonly ListRow[] {
  const rows = groupNeighbours(lines, (placed, before) => isBeside(before, placed));
  const columns = columnsOf(rows);
  return columns.flatMap((column) => {
    const left = leftOf(column);
    return column.flatMap((row, index): ListRow[] => {
      const [first] = row;
      if (first === undefined) return [];
      const above = column[index - 1]?.[0];
      const gap = above === undefined ? 0 : baselineOf(first.line) - baselineOf(above.line);
      return [
        {
          lines: row.map(({ line }) => line),
          text: row.map(({ line }) => line.text).join(' '),
          page: first.page,
          indent: first.line.box[0] - left,
          gap,
          fontSize: first.line.fontSize,
        },
      ];
    });
  });
}

/** In points. A column gap is wider than the gap after a label or between stretched words. */
const widestWordGap = 16;

const isBeside = (before: PlacedLine, next: PlacedLine): boolean =>
  before.page === next.page &&
  Math.abs(baselineOf(before.line) - baselineOf(next.line)) < 2 &&
  next.line.box[0] > before.line.box[0] &&
  -sharedWidth(before.line.box, next.line.box) < widestWordGap;

/** A column ends where the page changes or the next row stands higher or beside. */
function columnsOf(rows: readonly (readonly PlacedLine[])[]): PlacedLine[][][] {
  const columns: PlacedLine[][][] = [];
  for (const row of rows) {
    const above = columns.at(-1)?.at(-1)?.[0];
    const [first] = row;
    if (first === undefined) continue;
    const goesOn =
      above !== undefined &&
      above.page === first.page &&
      baselineOf(first.line) > baselineOf(above.line) - 2;
    if (goesOn) columns.at(-1)?.push([...row]);
    else columns.push([[...row]]);
  }
  return columns;
}

/** The left edge of a column: the outermost that is not a single line's, such as a page number. */
function leftOf(column: readonly (readonly PlacedLine[])[]): number {
  const edges = column.flatMap(([first]) => (first === undefined ? [] : [first.line.box[0]]));
  return Math.min(...edges);
}
