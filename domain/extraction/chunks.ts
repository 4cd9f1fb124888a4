import { heaviest, isMonospaced, standsBeside, textOf } from './lines.js';
import type { Heading } from './headings/find-headings.js';
import { rightOf, type TextLine, type PdfContent } from './page-content.js';
import type { Chunk, Section } from './paper.js';
import { chunkText, closed } from './text.js';

/** The maximum length of a chunk, in characters, as in the reference system (docs/reference/hybrid-agent.md, "Stores"). */
const chunkLimit = 512;

/**
 * Cuts the running text into chunks of whole sentences, as many as fit. A longer sentence is cut at the end of a line or a
 * word. A chunk lies in one section, and its sentences begin on one page.
 */
export function chunksOf({ beforeSections, ofSections }: Flow): readonly Chunk[] {
  return [
    ...cutFlow(beforeSections, null),
    ...ofSections.flatMap((lines, section) => cutFlow(lines, section)),
  ];
}

interface Piece {
  readonly page: number;
  readonly text: string;
  /** Where it begins in the text of its section. */
  readonly start: number;
}

/** A text that is printed on one or several pages. */
export interface PagedText {
  readonly text: string;
  /** The page, from 1, on which a character is printed. */
  readonly pageAt: (position: number) => number;
}

const cutFlow = (lines: readonly FlowLine[], section: number | null): readonly Chunk[] =>
  chunksOfText(pagedTextOf(lines), section);

/** Cuts a text by the rules of `chunksOf`. */
export function chunksOfText(
  { text, pageAt }: PagedText,
  section: number | null,
): readonly Chunk[] {
  const chunks: Chunk[] = [];
  let start = 0;
  let end = 0;
  const close = (): void => {
    const chunk = text.slice(start, end).trim();
    if (chunk !== '') chunks.push({ page: pageAt(start), section, text: chunk });
  };
  for (const sentence of sentencesOf(text, pageAt)) {
    const sentenceEnd = sentence.start + sentence.text.length;
    if (end > start && (!fits(text.slice(start, sentenceEnd)) || pageAt(start) !== sentence.page)) {
      close();
      start = sentence.start;
    }
    end = sentenceEnd;
  }
  close();
  return chunks;
}

/** The lines as one text: a line that the next word would not have fitted in goes on after a space. */
function pagedTextOf(lines: readonly FlowLine[]): PagedText {
  const starts: PageStart[] = [];
  const margins = rightMargins(lines);
  let text = '';
  for (const [index, { page, line }] of lines.entries()) {
    const before = lines[index - 1];
    if (before !== undefined) {
      const goesOn =
        standsBeside(before.line, line) ||
        isFull(before.line, line, margins.get(marginKey(before)) ?? 0);
      const joined = closed(`${text.slice(-1)} ${line.text}`);
      const isClosed = !joined.startsWith(' ', 1) && before.line.fontSize === line.fontSize;
      text += !goesOn ? '\n' : isClosed ? '' : ' ';
    }
    starts.push({ at: text.length, page });
    text += line.text;
  }
  return { text, pageAt: pageLookup(starts) };
}

/** From where a text is printed on a page. */
export interface PageStart {
  readonly at: number;
  readonly page: number;
}

/** @param starts - in the order of the text */
export const pageLookup =
  (starts: readonly PageStart[]): PagedText['pageAt'] =>
  (position) => {
    let [first, after] = [0, starts.length];
    while (after - first > 1) {
      const middle = (first + after) >> 1;
      if ((starts[middle]?.at ?? 0) <= position) first = middle;
      else after = middle;
    }
    return starts[first]?.page ?? 1;
  };

function isFull({ runs, box, fontSize }: TextLine, next: TextLine, margin: number): boolean {
  const [word] = next.runs;
  const listing = [runs, next.runs].some((all) => all.every(({ font }) => isMonospaced(font)));
  return !listing && rightOf(box) + (word?.box[2] ?? 0) + fontSize / 4 > margin;
}

/** Lines of one column have one key. */
const marginKey = ({ page, line: { box } }: FlowLine): string =>
  `${page} ${Math.floor((box[0] + box[2] / 2) / columnStep)}`;
/** Points. Less than half of the narrowest column. */
const columnStep = 40;

/** For each part of a page the x at which most lines over it end. */
function rightMargins(lines: readonly FlowLine[]): ReadonlyMap<string, number> {
  const ends = new Map<string, [number, number][]>();
  for (const { page, line } of lines) {
    const right = rightOf(line.box);
    for (let x = Math.floor(line.box[0] / columnStep); x * columnStep < right; x += 1) {
      const key = `${page} ${x}`;
      const end: [number, number] = [Math.round(right / 2) * 2, line.text.length];
      const known = ends.get(key);
      if (known === undefined) ends.set(key, [end]);
      else known.push(end);
    }
  }
  return new Map([...ends].map(([key, weighted]) => [key, (heaviest(weighted) ?? 0) - 1]));
}

/** Sentences with the space after them, and the parts of sentences that are too long. */
function sentencesOf(text: string, pageAt: (position: number) => number): readonly Piece[] {
  const pieces: Piece[] = [];
  let start = 0;
  for (const end of [...sentenceEnds(text), text.length]) {
    const sentence = text.slice(start, end);
    let from = start;
    for (const part of fits(sentence) ? [sentence] : chunkText(sentence, chunkLimit)) {
      const at = text.indexOf(part, from);
      pieces.push({ page: pageAt(at), text: part, start: at });
      from = at + part.length;
    }
    start = end;
  }
  return pieces;
}

const sentenceEnd = /[.!?]["'”’)\]]*\s+(?=["“‘'([]*[\p{Lu}\p{N}])|[。！？][」』”）]*|\n/gu;

/** Words whose full stop does not end a sentence, and initials. */
const abbreviation =
  /(?:^|[\s([])(?:\p{L}|e\.g|i\.e|cf|vs|et al|al|resp|approx|ca|etc|dr|prof|mr|mrs|ms|st|fig|figs|tab|eq|eqs|eqn|sec|sect|ch|chap|app|ref|refs|no|nos|vol|pp|ed|eds|thm|lem|def|prop|cor)\.$/iu;

/** Where the sentences and lines of a text end, with the space after them; not the end of the text. */
export function sentenceEnds(text: string): readonly number[] {
  return Array.from(text.matchAll(sentenceEnd)).flatMap((match) => {
    const before = text.slice(Math.max(0, match.index - 12), match.index + 1);
    return match[0].startsWith('.') && abbreviation.test(before)
      ? []
      : [match.index + match[0].length];
  });
}

/** Whether a text is short enough for a chunk. It never has more characters than code units. */
function fits(text: string): boolean {
  const stripped = text.trim();
  return stripped.length <= chunkLimit || Array.from(stripped).length <= chunkLimit;
}

/** A line of the text of a section, or of what stands before the first one. */
interface FlowLine {
  /** From 1. */
  readonly page: number;
  readonly line: TextLine;
}

/** The running text of a paper, cut at its headings. Each line belongs to at most one section. */
interface Flow {
  readonly beforeSections: readonly FlowLine[];
  /** As many as there are headings. */
  readonly ofSections: readonly (readonly FlowLine[])[];
}

/**
 * @param headings - in reading order
 * @param consumed - lines that are no running text
 */
export function cutAtHeadings(
  { pages }: PdfContent,
  headings: readonly Heading[],
  consumed: ReadonlySet<TextLine>,
): Flow {
  const between = (from: Place, to: Place): readonly FlowLine[] =>
    pages.slice(from.page, to.page + 1).flatMap(({ lines }, offset) => {
      const page = from.page + offset;
      const start = page === from.page ? from.line : 0;
      const end = page === to.page ? to.line : lines.length;
      return lines
        .slice(start, Math.max(start, end))
        .flatMap((line) => (consumed.has(line) ? [] : [{ page: page + 1, line }]));
    });
  const end: Place = { page: pages.length - 1, line: pages.at(-1)?.lines.length ?? 0 };
  return {
    beforeSections: between({ page: 0, line: 0 }, headings[0] ?? end),
    ofSections: headings.map(({ page, line, lineCount, rest }, index) => {
      const lastLine = pages[page]?.lines[line + lineCount - 1];
      return [
        ...(rest === '' || lastLine === undefined
          ? []
          : [{ page: page + 1, line: { ...lastLine, text: rest } }]),
        ...between({ page, line: line + lineCount }, headings[index + 1] ?? end),
      ];
    }),
  };
}

interface Place {
  readonly page: number;
  readonly line: number;
}

/** @param flow - cut at the same headings */
export function sectionsOf(headings: readonly Heading[], { ofSections }: Flow): readonly Section[] {
  return headings.map(({ title, number, level, page }, index) => {
    const lines = ofSections[index] ?? [];
    return {
      title,
      number,
      level,
      parent: parentOf(headings, index),
      text: textOf(lines.map(({ line }) => line)),
      pages: [...new Set([page + 1, ...lines.map((line) => line.page)])],
    };
  });
}

/** The index of the nearest heading before it of a higher level. */
export function parentOf(
  headings: readonly { readonly level: number }[],
  index: number,
): number | null {
  const level = headings[index]?.level ?? 1;
  const parent = headings.slice(0, index).findLastIndex((before) => before.level < level);
  return parent === -1 ? null : parent;
}
