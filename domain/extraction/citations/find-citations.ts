import { isMonospaced } from '../body-print.js';
import {
  citationsInBrackets,
  citationsInRoundBrackets,
  raisedCitations,
  type FoundCitation,
} from './by-label.js';
import { citationsByName } from './by-name.js';
import type { PdfContent, TextLine } from '../page-content.js';
import type { Citation, PaperReference } from '../paper.js';

/**
 * The places in the text that name an entry of the list of references: `[12]`, `[3-5]`, `[Smi99]`, `Smith (1999)`,
 * `(Smith and Jones 1999a,b; Doe et al., 2003)`, a raised 12, `(12)`. A place that names several entries gives one citation each.
 * @param apart - the lines of the list, and others that cite nothing, such as names with raised marks
 * @param equationNumbers - a number in round brackets may stand for one of them
 */
export function findCitations(
  { pages }: PdfContent,
  references: readonly PaperReference[],
  apart: Iterable<TextLine>,
  equationNumbers: ReadonlySet<string | null> = new Set(),
): readonly Citation[] {
  if (references.length === 0) return [];
  const left = new Set(apart);
  const texts = pages.map(({ lines }) =>
    lines.filter((line) => line.upright && !left.has(line) && !isCode(line)),
  );
  const citationsBy = (read: ReadCitations): readonly Citation[] =>
    texts.flatMap((lines, index) =>
      read(lines).map((citation) => ({ page: index + 1, ...citation })),
    );
  const labelled = references.filter(({ label }) => label !== null).length > references.length / 2;
  const byName = citationsBy(onJoined(citationsByName(references)));
  if (!labelled) return byName;
  const byLabel = new Map(references.map(({ label }, index) => [label ?? '', index]));
  const inBrackets = citationsBy(onJoined(citationsInBrackets(byLabel)));
  const others = [
    byName,
    citationsBy((lines) => lines.flatMap((line) => raisedCitations(line, byLabel))),
    citationsBy(onJoined(citationsInRoundBrackets(byLabel, equationNumbers))),
  ].filter((citations) => citedBy(citations) >= references.length * fewestCited);
  return others.reduce(
    (most, citations) => (citedBy(citations) > citedBy(most) ? citations : most),
    inBrackets,
  );
}

/** The share of a labelled list that names, raised numbers or those in round brackets must name. Fewer are exponents and items. */
const fewestCited = 1 / 3;

const citedBy = (citations: readonly Citation[]): number =>
  new Set(citations.map(({ reference }) => reference)).size;

/** Of the lines of a page. */
type ReadCitations = (lines: readonly TextLine[]) => readonly FoundCitation[];

const onJoined =
  (read: (text: string) => readonly FoundCitation[]): ReadCitations =>
  (lines) =>
    read(lines.map(({ text }) => text).join(' '));

/** Program code, whose output has brackets, too. */
const isCode = ({ runs, text }: TextLine): boolean =>
  runs.every(({ font }) => isMonospaced(font)) || /^\[1\]\s+["\d-]|^(?:R?>|\+)\s/.test(text);
