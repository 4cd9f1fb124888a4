import { groupNeighbours } from '../../statistics/means.js';
import { baselineOf, mostCommon, sharedWidth } from '../lines.js';
import { namesPlace, leadingNames } from '../front-matter/authors.js';
import type { PdfContent, TextLine } from '../page-content.js';
import type { PartPlace, ReferencePart } from '../parsers/paper-parts.js';
import { closed } from '../text.js';

// cspell:ignore agradecimientos anhang bibliogr bibliograf bibliografici bibliographiques danksagung ficas literaturverzeichnis ncias ndice quellen referencias remerciements resumen riferimenti verzeichnis

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

interface ReferenceList {
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

/** What can be told of an entry. */
interface ReadEntry {
  readonly text: string;
  readonly authors: string[];
  readonly year: number | null;
  readonly title: string | null;
}

/** `[3]`, `[Roe99]`, and with a year, also `[Doe, Roe, and the Waiting Group (2003)]`. */
export const bracketLabel =
  /^[[［]([^\]］\s](?:[^\]］]{0,28}|[^\]］]{0,90}\b(?:1[89]|20)\d\d[a-z]?\)?))[\]］]\s*/;
const anyLabel = new RegExp(
  String.raw`${bracketLabel.source}|^\(?\d{1,3}[.)]\s+|^\d{1,3}\s+(?=\p{Lu})|^[•◦▪∗*·]\s+`,
  'u',
);

/** The rows on one line, without label or bullet. A web address that is broken at a row's end is joined. */
export function joinRows(rows: readonly ListRow[]): string {
  let joined = '';
  for (const { text } of rows) {
    if (joined === '') joined = text;
    else if (brokenAddress(joined, text)) joined += text;
    else
      joined =
        /\p{L}-$/u.test(joined) && /^\p{Ll}/u.test(text) ? joined + text : `${joined} ${text}`;
  }
  return closed(joined).replace(anyLabel, '').replace(/\s+/g, ' ').trim();
}

/** An address goes on behind a slash and the like, or with one. */
function brokenAddress(before: string, next: string): boolean {
  const last = before.split(' ').at(-1) ?? '';
  if (!/https?:|www\.|ftp:|^doi:?|\b10\.\d{4,}\//i.test(last)) return false;
  const first = next.split(' ')[0] ?? '';
  if (/[/_=?&~%#-]$|^https?:$|^doi:$/i.test(last)) return true;
  if (/^[/?=&_~%#]/.test(first)) return true;
  return !/[.,;)\]>]$/.test(last)
    ? /[/.\d=_]/.test(first) && !/^(?:\(|1[89]\d\d|20\d\d)/.test(first)
    : /^\p{Ll}\S*[/.]\S/u.test(first) && last.endsWith('.');
}

const year = /\b((?:1[6-9]|20)\d\d)[a-z]?\b/;
const bracketedYear =
  /\(\s*(?:\p{L}+\.?\s+(?:\d{1,2},?\s+)?)?((?:1[6-9]|20)\d\d)[a-z]?\b[^)]{0,24}\)/u;

/** @param before - the authors of the entry above, which a dash repeats */
export function readEntry(text: string, before: readonly string[]): ReadEntry {
  const plain = text.replace(/(?:https?:|www\.|doi:)\S+/gi, ' ');
  const inBrackets = bracketedYear.exec(plain);
  const afterAuthors = inBrackets ?? earlyYear(plain);
  const [found, rest] =
    afterAuthors !== null && looksLikeNames(plain.slice(0, afterAuthors.index))
      ? [
          plain.slice(0, afterAuthors.index),
          plain.slice(afterAuthors.index + afterAuthors[0].length),
        ]
      : splitAtSentence(plain);
  const authors = /^(?:[—–-]{1,3}|_{2,})/.test(found.trim()) ? [...before] : namesOf(found);
  return {
    text,
    authors,
    year: yearOf(plain, afterAuthors),
    title: titleIn(rest),
  };
}

/** A year right behind the names: `Smith, J. 1999. Title`, `Smith J, 1999, Title`. */
function earlyYear(text: string): RegExpExecArray | null {
  const match = /[.,]\s+((?:1[6-9]|20)\d\d)[a-z]?\s*[.,:;]\s/.exec(text);
  return match !== null &&
    match.index < text.length * 0.6 &&
    looksLikeNames(text.slice(0, match.index))
    ? match
    : null;
}

function yearOf(text: string, marked: RegExpExecArray | null): number | null {
  if (marked !== null) return Number(marked[1]);
  // Page ranges hold numbers like years.
  const without = text.replace(/\b\d+\s*[-–]\s*\d+\b|:\s*\d+/g, ' ');
  const years = [...without.matchAll(new RegExp(year, 'g'))].map((match) => Number(match[1]));
  return years.at(-1) ?? null;
}

/** Few words in small letters stand among names. */
function looksLikeNames(text: string): boolean {
  const words = text.split(/[\s,.;]+/).filter((word) => /\p{L}/u.test(word));
  const small = words.filter((word) => /^\p{Ll}/u.test(word) && !connecting.has(word));
  return words.length === 0
    ? /[—–_-]/.test(text)
    : small.length <= words.length * 0.2 && !/[“"]|\p{Lo}[.．]\s*\p{Lo}|\[[A-Z]\]/u.test(text);
}

const connecting = new Set(
  'and und et al van von der den de di da del della la le du dos das ter ten eds ed editors editor others'.split(
    ' ',
  ),
);

/** At the end of the first sentence; the period of an initial or of `et al.` ends none. */
function splitAtSentence(text: string): readonly [string, string] {
  const quoted = /^(.{3,200}?),?\s*["“](?=\p{Lu})/u.exec(text);
  if (quoted?.[1] !== undefined && looksLikeNames(quoted[1])) {
    return [quoted[1], text.slice(quoted[1].length)];
  }
  for (const match of text.matchAll(
    /([\p{L}.’'-]+)(?:[.:]\s+(?=[\p{Lu}\p{Lo}\d"“‘])|[．:：](?=\p{Lo})|\.(?=\p{Script=Han}))/gu,
  )) {
    const word = match[1] ?? '';
    if (
      /^(?:\p{Lu}|\p{Lu}\p{Ll}|(?:\p{Lu}\.-?)+\p{Lu}|al|jr|sr|eds?|dr|st)$/iu.test(word) &&
      word.length <= 6
    ) {
      if (!/^(?:eds?|al|jr)$/i.test(word)) continue;
    }
    const end = match.index + word.length;
    const names = text.slice(0, end);
    return looksLikeNames(names) ? [names, text.slice(end + 1)] : ['', text];
  }
  return ['', text];
}

/** The names as printed, in order, e.g. `Smith JA` or `J. A. Smith`. */
function namesOf(text: string): string[] {
  const parts = text
    .replace(/\(?\b(?:eds?|editors?)\b\.?\)?/gi, ' ')
    .replace(/\bet\.? al\.?|\bothers\b/gi, ' ')
    .split(/\s*[,;，；、]\s*(?:(?:and|&)\s+)?|\s+(?:and|&|und)\s+/)
    .map((part) => part.replace(/\s+/g, ' ').replace(/^[\s.]+|[\s:(]+$/g, ''))
    .filter((part) => /\p{L}/u.test(part));
  const names: string[] = [];
  let open = false;
  for (const part of parts) {
    const initials =
      /^(?:\p{Lu}\p{Ll}?\.?[\s-]?){1,4}$/u.test(part) && (part.includes('.') || part.length <= 3);
    const onlyGiven = names.length === 1 && open && !/\s\S*\p{Ll}{2}/u.test(part);
    if (names.length > 0 && open && (initials || onlyGiven || /^(?:jr|sr|iii?)\.?$/i.test(part))) {
      names[names.length - 1] = `${names.at(-1) ?? ''}, ${part}`;
      open = /^(?:\p{Lu}\p{Ll}+)$/u.test(part) ? false : /^(?:jr|sr)/i.test(part);
    } else {
      names.push(part);
      open = !/\s\p{Lu}{1,3}$|^\p{Lu}\.|^\p{Lo}/u.test(part);
    }
  }
  return names.every((name) => name.length <= 80) ? names : [];
}

/** Up to the end of the first sentence or quotation. */
function titleIn(rest: string): string | null {
  const text = rest.replace(/^[\s.,:;)\]]+/, '');
  const quoted = /^["“‘']+(.+?)[.,?!]*["”]/u.exec(text)?.[1];
  if (quoted !== undefined) return quoted.trim();
  const end = /[.．?!](?=\s*\p{Lo}|\s+(?:\p{Lu}|\d|\(|["“]|in\b)|\s*$)/u.exec(text);
  const title = (end === null ? text : text.slice(0, end.index + (end[0] === '?' ? 1 : 0))).trim();
  // GB/T 7714 says what kind of work it is: `[J]`.
  return /\p{L}{2}/u.test(title) ? title.replace(/\s*\[[A-Z/]{1,5}\]$/, '') : null;
}

/** `[12]`, `[Smi99]`, `(12)` or `12.` in front of an entry, or a bullet. */
const mark = /^(?:\[([^\]]{1,30})\]\s*|\(?(\d{1,3})[.)]\s+|[•◦▪∗*·-]\s+)/u;

/** The entries of a list of references of which only the texts are told, in order. */
export function readReferences(
  entries: readonly (PartPlace & { readonly text: string })[],
): readonly ReferencePart[] {
  const references: ReferencePart[] = [];
  for (const { text: printed, page, box } of entries) {
    const [front = '', bracketed, numbered] = mark.exec(printed) ?? [];
    const text = printed.slice(front.length).replace(/\s+/g, ' ').trim();
    if (text === '') continue;
    references.push({
      ...readEntry(text, references.at(-1)?.authors ?? []),
      label: bracketed ?? numbered ?? null,
      page,
      box,
    });
  }
  return references;
}
