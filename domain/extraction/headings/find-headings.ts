import type { PdfContent, TextLine } from '../page-content.js';
import { findCandidates, type Candidate } from './candidates.js';
import { findContentsLists } from './contents-list.js';
import type { Heading } from './heading.js';
import { heaviest, type BodyPrint } from '../body-print.js';
import { emphases } from './line-style.js';
import { comparable, locateOutline, type LocatedEntry } from './outline-headings.js';
import { findPrintedHeadings, order, type PrintedHeading } from './printed-headings.js';
import { readNumbers } from './section-number.js';

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
  return /^abstract\W*$/i.test(headings[0]?.title ?? '') ? headings.slice(1) : headings;
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
