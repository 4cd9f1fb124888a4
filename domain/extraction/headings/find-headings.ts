import { groupBy } from '../../statistics/means.js';
import { heaviest, type BodyPrint } from '../lines.js';
import type { PdfContent, TextLine, OutlineEntry } from '../page-content.js';
import { findCandidates, emphases, type Candidate } from './candidates.js';
import { findPrintedHeadings, order, type PrintedHeading } from './printed-headings.js';
import { abstractWords, readNumbers } from './section-number.js';

/** The heading of a section. Page and line are counted from 0. */
export interface Heading {
  /** Without the number. */
  readonly title: string;
  /** As printed; null where it has none. */
  readonly number: string | null;
  /** From 1. */
  readonly level: number;
  readonly page: number;
  readonly line: number;
  /** 0 when the heading was not found among the lines, e.g. because the outline names a page only. */
  readonly lineCount: number;
  /** What stands after a run-in heading in its last line: it belongs to the text. Else empty. */
  readonly rest: string;
}

/**
 * Headings of all levels in reading order, from the print and, where the PDF has one, its outline.
 * @param consumed - lines that cannot be headings, as captions, tables and running heads
 */
export function findHeadings(
  content: PdfContent,
  body: BodyPrint,
  consumed: ReadonlySet<TextLine>,
): readonly Heading[] {
  const excluded = new Set([...consumed, ...findContentsLists(content)]);
  const candidates = findCandidates(content, body, excluded);
  const located = locateOutline(content, candidates);
  const styles = levelsOfStyles(located);
  const outlined = new Map(located.map((entry) => [entry.candidate, entry]));
  const printed = findPrintedHeadings(candidates, styles);
  const ofPrint = new Map(printed.map((heading) => [heading.candidate, heading]));
  const headings = [...new Set([...outlined.keys(), ...ofPrint.keys()])]
    .sort(order)
    .map((candidate) =>
      headingOf(candidate, outlined.get(candidate), ofPrint.get(candidate), styles),
    );
  // The abstract belongs to the front matter.
  const isAbstract = new RegExp(`^(?:${abstractWords})[^\\p{L}]*$`, 'iu');
  return isAbstract.test(headings[0]?.title ?? '') ? headings.slice(1) : headings;
}

/** The level that most headings of a style have in the outline. */
function levelsOfStyles(located: readonly LocatedEntry[]): ReadonlyMap<string, number> {
  const telling = located.filter(({ candidate }) => candidate.emphasis >= emphases.italic);
  const styles = new Set(telling.map(({ candidate }) => candidate.style));
  return new Map(
    [...styles].map((style) => {
      const own = telling.filter(({ candidate }) => candidate.style === style);
      return [style, heaviest(own.map(({ level }) => [level, 1] as const)) ?? 1];
    }),
  );
}

function headingOf(
  candidate: Candidate,
  entry: LocatedEntry | undefined,
  printed: PrintedHeading | undefined,
  styles: ReadonlyMap<string, number>,
): Heading {
  const { page, line, lineCount, rest } = candidate;
  const place = { page, line, lineCount, rest };
  if (entry === undefined && printed !== undefined) {
    const { title, number, level } = printed;
    return {
      ...place,
      title,
      number: number?.printed ?? null,
      level: styles.get(candidate.style) ?? level,
    };
  }
  const wording = entry?.title ?? candidate.text;
  const reading =
    printed?.number === null
      ? undefined
      : (printed ??
        readNumbers(candidate.text).find(({ title }) => comparable(title) === comparable(wording)));
  const shown = reading?.title ?? candidate.text;
  const lost = comparable(shown) === comparable(wording) && shown.length < wording.length;
  return {
    ...place,
    title: lost ? wording : shown,
    number: reading?.number?.printed ?? null,
    level: entry?.level ?? printed?.level ?? 1,
  };
}

const listTitle = /^(table of )?contents$|^list of (figures|tables|algorithms)$/i;
const leaders = /(\s?[.·…]){4,}\s*(\d+|[ivxl]+)?$/i;
const endsInNumber = /[\s.](\d{1,3}|[ivxl]{1,5})$/;
/** Lines of an entry before the one with the page number. */
const longestEntry = 3;

/** The lines of tables of contents and the like, their titles left out. */
function findContentsLists({ pages }: PdfContent): ReadonlySet<TextLine> {
  const found = new Set<TextLine>();
  let inList = false;
  for (const { lines } of pages) {
    let pending: TextLine[] = [];
    for (const line of lines) {
      if (listTitle.test(line.text)) {
        inList = true;
        pending = [];
      } else if (leaders.test(line.text) || (inList && endsInNumber.test(line.text))) {
        for (const entry of [...(inList ? pending : []), line]) found.add(entry);
        pending = [];
      } else if (inList && pending.length < longestEntry) {
        pending.push(line);
      } else {
        inList = false;
      }
    }
  }
  return found;
}

/** An outline entry with the place where its heading is printed. */
interface LocatedEntry {
  readonly candidate: Candidate;
  /** From 1, the title of the paper not counted. */
  readonly level: number;
  readonly title: string;
}

/** Entries whose text is printed where they point to, or near it. Entries for the title, figures and the like are left out. */
function locateOutline(
  { outline }: PdfContent,
  candidates: readonly Candidate[],
): readonly LocatedEntry[] {
  const sections = withoutTitle(outline).filter(({ title }) => !isLabel.test(title));
  const byPage = groupBy(candidates, ({ page }) => page);
  const taken = new Set<Candidate>();
  const located = sections.flatMap((entry) => {
    const candidate = locate(entry, byPage, taken);
    if (candidate === undefined) return [];
    taken.add(candidate);
    return [{ candidate, level: entry.level, title: entry.title }];
  });
  const body = located.filter((entry) => !isTitle(entry, located));
  const top = Math.min(...body.map(({ level }) => level));
  return body.map((entry) => ({ ...entry, level: entry.level - top + 1 }));
}

const isLabel = /^(fig(ure|\.)|tab(le|\.))\s*\d/i;

/** A single entry above all others is the title. */
function withoutTitle(outline: readonly OutlineEntry[]): readonly OutlineEntry[] {
  const top = Math.min(...outline.map(({ level }) => level));
  const [first, ...others] = outline.filter(({ level }) => level === top);
  return first !== undefined && others.length === 0 && outline.length > 1
    ? outline.filter((entry) => entry !== first)
    : outline;
}

/** The first entry, on page 1, in larger print than all others. */
const isTitle = ({ candidate }: LocatedEntry, all: readonly LocatedEntry[]): boolean =>
  candidate.page === 0 &&
  candidate === all[0]?.candidate &&
  all.length > 2 &&
  all.slice(1).every((other) => other.candidate.fontSize < candidate.fontSize - 0.5);

/** How like an outline entry the text at its place must be: fonts of formulas and macros change some characters. */
const leastLikeness = 0.6;
/** Points from the place of an entry to its heading, which stands below it. */
const farthest = 70;

function locate(
  { title, page, y }: OutlineEntry,
  byPage: ReadonlyMap<number, readonly Candidate[]>,
  taken: ReadonlySet<Candidate>,
): Candidate | undefined {
  const free = (index: number): readonly Candidate[] =>
    (byPage.get(index) ?? []).filter((candidate) => !taken.has(candidate));
  const distance = (candidate: Candidate): number => (y === null ? 0 : Math.abs(candidate.y - y));
  const wanted = readingsOf(title);
  const same = [page - 1, page, page - 2].flatMap((index) =>
    free(index)
      .filter((candidate) => readingsOf(candidate.text).some((text) => wanted.includes(text)))
      .sort((a, b) => distance(a) - distance(b)),
  );
  if (same[0] !== undefined) return same[0];
  const near = free(page - 1).filter(
    (candidate) => y === null || (candidate.y > y - 10 && candidate.y < y + farthest),
  );
  const [best] = near
    .map((candidate) => ({
      candidate,
      likeness: Math.max(
        ...readingsOf(candidate.text).flatMap((text) => wanted.map((own) => likenessOf(text, own))),
      ),
    }))
    .sort((a, b) => b.likeness - a.likeness);
  return best !== undefined && best.likeness >= leastLikeness ? best.candidate : undefined;
}

/** The letters and digits of a title with and without its number. */
const readingsOf = (text: string): readonly string[] =>
  [text, ...readNumbers(text).map(({ title }) => title)]
    .map(comparable)
    .filter((letters) => letters !== '');

/** Without the letters of `fi`, `fl` and `ffi`, which PDFs lose as they are one glyph. */
const comparable = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]|[fil]/gu, '');

/** The share of pairs of neighbouring characters that two texts have in common, from 0 to 1. */
function likenessOf(a: string, b: string): number {
  const pairs = (text: string): readonly string[] =>
    Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2));
  const left = [...pairs(b)];
  let common = 0;
  for (const pair of pairs(a)) {
    const at = left.indexOf(pair);
    if (at === -1) continue;
    left.splice(at, 1);
    common += 1;
  }
  return a.length + b.length <= 2 ? 0 : (2 * common) / (a.length + b.length - 2);
}
