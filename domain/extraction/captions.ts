import { baselineOf, isFull, sharedHeight, sharedWidth, type BodyPrint } from './lines.js';
import {
  bottomOf,
  rightOf,
  unionOf,
  type Box,
  type PageContent,
  type PdfContent,
  type TextLine,
} from './page-content.js';

/** The caption of a figure or table, wherever it stands beside it. */
export interface Caption {
  readonly kind: 'figure' | 'table';
  /** As printed, e.g. `Fig. 2` or `TABLE IV`. */
  readonly label: string;
  /** As printed, e.g. `2`, `IV`, `A.1`. */
  readonly number: string;
  /** Whole, with its label. */
  readonly text: string;
  /** From 1. */
  readonly page: number;
  readonly box: Box;
  readonly lines: readonly TextLine[];
}

/** A line that may begin a caption. */
interface Candidate extends CaptionLabel {
  readonly page: number;
  readonly line: TextLine;
  /** How much its print looks like a caption. */
  readonly rank: number;
}

/** All captions in reading order. A sentence that begins a line with `Figure 3` is none. */
export function findCaptions(content: PdfContent, body: BodyPrint): readonly Caption[] {
  const candidates = content.pages.flatMap((page, index) =>
    page.lines.flatMap((line): readonly Candidate[] => {
      const label = readLabel(line);
      if (label === null) return [];
      const rank = rankOf(label, line, page, body);
      return rank === 0 ? [] : [{ ...label, page: index, line, rank }];
    }),
  );
  const chosen = bestOf(candidates);
  const starts = new Set(chosen.map(({ line }) => line));
  return chosen.map(({ kind, label, number, page, line }) => {
    const lines = captionLines(line, content.pages[page], starts, body);
    const text = lines.map((part) => part.text).join(' ');
    const box = unionOf(lines.map((part) => part.box));
    return { kind, label, number, text, page: page + 1, box, lines };
  });
}

/** 0 for text that merely begins with a label. */
function rankOf(
  { print, separator, styledApart, hasText, startsCapital }: CaptionLabel,
  line: TextLine,
  page: PageContent,
  body: BodyPrint,
): number {
  const small = line.fontSize < body.fontSize - 0.4;
  if (!styledApart && goesOnFromAbove(line, page)) return 0;
  // The title stands in the next line: below `TABLE IV`, or below a label in another font.
  const isAlone = !hasText && (styledApart || (print === 'capitals' && titleBelow(line, page)));
  if (separator === 'none' && !startsCapital && !isAlone) return 0;
  if (print === 'small' && !(separator === 'colon' && startsCapital && isApart(line, page)))
    return 0;
  const marks = { continued: 3, colon: 3, stop: 2, none: 1 }[separator];
  return marks + (styledApart ? 2 : 0) + (small ? 1 : 0);
}

/** Whether the line stands within a paragraph. */
function goesOnFromAbove(line: TextLine, { lines, rules }: PageContent): boolean {
  const above = neighbour(line, lines, -1);
  if (above === undefined || isRuledOff(above, line, rules)) return false;
  const measure = Math.max(above.box[2], line.box[2]);
  return isFull(above, line, measure) && !/[.:?!]$/.test(above.text);
}

/** Whether a line of the same print stands right below. */
const titleBelow = (line: TextLine, { lines }: PageContent): boolean =>
  neighbour(line, lines, 1)?.runs.some(({ font }) => font === line.runs[0]?.font) === true;

/** Whether no line of the same size stands right above. */
const isApart = (line: TextLine, { lines }: PageContent): boolean =>
  neighbour(line, lines, -1) === undefined;

/** The nearest line above (-1) or below (1) of the same size and column, at most a line and a half away. */
function neighbour(line: TextLine, lines: readonly TextLine[], side: -1 | 1): TextLine | undefined {
  const baseline = baselineOf(line);
  const distance = (other: TextLine): number => side * (baselineOf(other) - baseline);
  return lines
    .filter(
      (other) =>
        other !== line &&
        other.upright === line.upright &&
        Math.abs(other.fontSize - line.fontSize) < 0.6 &&
        distance(other) > line.fontSize * 0.5 &&
        distance(other) < line.fontSize * 1.8 &&
        sharedWidth(other.box, line.box) > 0,
    )
    .sort((a, b) => distance(a) - distance(b))[0];
}

/** A number is used once: of several lines with one label only those that look most like a caption are captions. */
function bestOf(candidates: readonly Candidate[]): readonly Candidate[] {
  const isContinued = ({ separator }: Candidate): boolean => separator === 'continued';
  const labelOf = ({ kind, number }: Candidate): string => `${kind} ${number}`;
  const ranks = new Map<string, number>();
  for (const candidate of candidates) {
    if (isContinued(candidate)) continue;
    const label = labelOf(candidate);
    ranks.set(label, Math.max(candidate.rank, ranks.get(label) ?? 0));
  }
  return candidates.filter(
    (candidate) => isContinued(candidate) || candidate.rank === ranks.get(labelOf(candidate)),
  );
}

/** The lines of the caption that begins with `start`. */
function captionLines(
  start: TextLine,
  page: PageContent | undefined,
  starts: ReadonlySet<TextLine>,
  body: BodyPrint,
): readonly TextLine[] {
  if (page === undefined) return [start];
  if (!start.upright) return turnedLines(start, page.lines);
  const rows: TextLine[][] = [rowOf(start, page.lines)];
  for (;;) {
    const last = widened(rows.at(-1) ?? []);
    const next = last && neighbour(last, page.lines, 1);
    if (next === undefined || starts.has(next)) return rows.flat();
    const row = rowOf(next, page.lines);
    if (!goesOn(rows, row, page, body)) return rows.flat();
    rows.push(row);
  }
}

/** The lines of a caption that is turned by a quarter, as beside a table in landscape. */
function turnedLines(start: TextLine, lines: readonly TextLine[]): readonly TextLine[] {
  const after = lines.slice(lines.indexOf(start) + 1);
  const end = after.findIndex((line, index) => {
    const last = after[index - 1] ?? start;
    const step = Math.abs(line.box[0] - last.box[0]);
    const near = step < start.fontSize * 1.8 && sharedHeight(line.box, start.box) > 0;
    return line.upright || line.fontSize !== start.fontSize || !near;
  });
  return [start, ...after.slice(0, end === -1 ? after.length : end)];
}

/** A row of pieces as one line. */
function widened(row: readonly TextLine[]): TextLine | undefined {
  const [first] = row;
  if (first === undefined) return undefined;
  const box = unionOf(row.map((line) => line.box));
  return { ...first, runs: row.flatMap(({ runs }) => runs), box };
}

/** The line with the pieces right of it that a wide space or a formula cut off. */
function rowOf(line: TextLine, lines: readonly TextLine[]): TextLine[] {
  const row = [line];
  const baseline = baselineOf(line);
  const others = lines
    .filter(
      (other) => other !== line && other.upright === line.upright && other.box[0] > line.box[0],
    )
    .filter((other) => Math.abs(baselineOf(other) - baseline) < line.fontSize * 0.3)
    .sort((a, b) => a.box[0] - b.box[0]);
  for (const other of others) {
    const last = row.at(-1) ?? line;
    const gap = other.box[0] - rightOf(last.box);
    const widest = readLabel(last)?.hasText === false ? spaceAfterLabel : widestSpace;
    if (gap > line.fontSize * widest) break;
    row.push(other);
  }
  return row;
}

/** In a justified line, in ems. The space between two columns is wider. */
const [widestSpace, spaceAfterLabel] = [1, 3];

/** Whether a row belongs to the caption with these rows. */
function goesOn(
  rows: readonly (readonly TextLine[])[],
  nextRow: readonly TextLine[],
  page: PageContent,
  body: BodyPrint,
): boolean {
  const [before, last] = [rows.at(-2), rows.at(-1)].map((row) => row && widened(row));
  const next = widened(nextRow);
  if (last === undefined || next === undefined) return false;
  const leading =
    before === undefined
      ? Math.max(body.leading * 1.1, last.fontSize * 1.35)
      : (baselineOf(last) - baselineOf(before)) * 1.15;
  // Superscripts and formulas push lines apart a little.
  if (baselineOf(next) - baselineOf(last) > leading + 0.5) return false;
  if (isRuledOff(last, next, page.rules)) return false;
  const fonts = new Set(rows.flat().flatMap(({ runs }) => runs.map(({ font }) => font)));
  if (!next.runs.some(({ font }) => fonts.has(font))) return false;
  const widths = [...rows, nextRow].map((row) => unionOf(row.map(({ box }) => box))[2]);
  const onlyLabel = rows.length === 1 && readLabel(last)?.hasText === false;
  return onlyLabel || isFull(last, next, Math.max(...widths));
}

/** Whether a rule stands between the lines, or an upright one crosses the lower line, as in a table. */
function isRuledOff(above: TextLine, below: TextLine, rules: readonly Box[]): boolean {
  const near = rules.filter((rule) => sharedWidth(rule, below.box) > -0.5);
  const level = near.filter(([, , width, height]) => width >= height);
  return near.some((rule) => {
    const [x, y, width, height] = rule;
    if (width >= height) return y >= bottomOf(above.box) - 2 && bottomOf(rule) <= below.box[1] + 2;
    // Frames around words are no columns.
    const framed = level.some(
      (side) => Math.abs(side[1] - y) < 2 && sharedWidth(side, [x, y, width, height]) > -0.5,
    );
    return !framed && sharedHeight(rule, below.box) > below.box[3] / 2;
  });
}

// cspell:ignore continuación fortsetzung

/** What a line says that begins as a caption does, e.g. `Table 2: Accuracy by model.` */
interface CaptionLabel {
  readonly kind: 'figure' | 'table';
  /** `TABLE`, `Table` or `table`. */
  readonly print: 'capitals' | 'usual' | 'small';
  /** As printed, e.g. `Fig. 2`. */
  readonly label: string;
  readonly number: string;
  readonly separator: 'colon' | 'stop' | 'none' | 'continued';
  /** Whether the label has another font than the text after it. */
  readonly styledApart: boolean;
  /** Whether text follows the label in its line. */
  readonly hasText: boolean;
  /** Whether that text begins like a sentence. */
  readonly startsCapital: boolean;
}

/**
 * In English, German, French, Spanish, Portuguese, Italian, Chinese and Japanese. Small capitals are printed in two sizes, which may leave a space
 * after the first letter.
 */
const label =
  /^((?:(?:supplementary|supplemental|extended data|appendix) )?(F ?IGURE|FIGURA|FIG|ABBILDUNG|ABB|T ?ABLE(?:AU)?|TABELLE|TABELLA|TABELA|TABLA|TAB|[图圖図]|表)S?\.? ?([A-Z]{0,2}\.?\d+(?:[.-]\d+)*[a-z]?|[IVXL]+(?![\p{L}])|[A-Z](?=[:.|])))/iu;
const continued =
  "(?:continued|cont['’]?d?\\b|fortsetzung|suite\\b|continuación|segue\\b|[续續]|続き)";
const separators = [
  ['continued', new RegExp(`^[^\\p{L}]*${continued}`, 'iu')],
  ['colon', /^\s*[:：|—–]|^\s+-\s/],
  ['stop', /^\.(?=\s|$)/],
  ['none', /^(?=\s|$)/],
] as const;

/** Whether a caption says that its table or figure began on a page before. */
export const isContinued = (caption: string): boolean =>
  new RegExp(`(?<!\\p{L})${continued}(?!\\p{L})`, 'iu').test(caption.slice(0, 60));

/** The label that a caption begins with; null where it has none. */
export function labelOf(
  text: string,
): (Pick<CaptionLabel, 'kind' | 'label' | 'number'> & { readonly word: string }) | null {
  const [, printed, word = '', number = ''] = label.exec(text) ?? [];
  if (printed === undefined) return null;
  return { kind: /^[fa图圖図]/i.test(word) ? 'figure' : 'table', label: printed, word, number };
}

/** The label that a line begins with; null where it begins otherwise. */
function readLabel(line: TextLine): CaptionLabel | null {
  const printedLabel = labelOf(line.text);
  if (printedLabel === null) return null;
  const { kind, label: printed, word, number } = printedLabel;
  const rest = line.text.slice(printed.length);
  const found = separators.find(([, pattern]) => pattern.test(rest));
  // A line of a list of figures ends with dots and a page number; a tick label names one thing after the other.
  if (found === undefined || /(?:\. ?){4,}\d*$/.test(rest) || label.test(rest.trim())) return null;
  const [separator, mark] = found;
  const text = rest.replace(mark, '').trim();
  return {
    kind,
    print: /\p{Ll}{2}/u.test(word) ? (/^\p{Lu}/u.test(printed) ? 'usual' : 'small') : 'capitals',
    label: printed,
    number,
    separator,
    styledApart: isStyledApart(line, printed.length),
    hasText: text !== '',
    startsCapital: /^[^\p{L}\p{N}]*[\p{Lu}\p{Lo}\p{N}]/u.test(text),
  };
}

/** Whether the runs of the first `length` characters have another font than the run after them. */
function isStyledApart({ runs }: TextLine, length: number): boolean {
  let at = 0;
  for (const run of runs) {
    if (run.spaced) at += 1;
    if (at > length) return run.font !== runs[0]?.font || run.bold !== runs[0].bold;
    at += run.text.length;
  }
  return false;
}
