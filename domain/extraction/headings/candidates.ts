import { baselineOf, isMonospaced, mostCommon, printed, type BodyPrint } from '../lines.js';
import { rightOf, type PdfContent, type TextLine, type TextRun } from '../page-content.js';

/** Lines that may be a heading, or the beginning of a paragraph that may be one. */
export interface Candidate {
  /** The page and the first of its lines, from 0. */
  readonly page: number;
  readonly line: number;
  readonly lineCount: number;
  /** With its number. */
  readonly text: string;
  /** What stands after a run-in heading in its last line. */
  readonly rest: string;
  readonly emphasis: number;
  readonly style: string;
  readonly x: number;
  /** Of its top. */
  readonly y: number;
  readonly middle: number;
  readonly fontSize: number;
  /** The distance to the line above in lines of text; Infinity at the top of a column. */
  readonly gapAbove: number;
  readonly gapBelow: number;
  /** Whether another text stands beside it, as in a row of a table. */
  readonly hasNeighbour: boolean;
  /** Whether it begins where running text of its page begins, or has its middle. */
  readonly isAligned: boolean;
  /** Whether running text, a listing or a further heading comes after it. */
  readonly leadsToText: boolean;
  /** Whether the line after it begins further to the right, as below the term of a list. */
  readonly hasHanging: boolean;
}

/** More lines than a heading has. */
const longestHeading = 5;
/** Characters; headings that are a question or a sentence are so long. */
const longestText = 250;

/** @param excluded - lines of captions, tables, running heads and the like */
export function findCandidates(
  { pages }: PdfContent,
  body: BodyPrint,
  excluded: ReadonlySet<TextLine>,
): readonly Candidate[] {
  const isText = (line: TextLine): boolean =>
    line.upright &&
    !excluded.has(line) &&
    line.text.length >= 30 &&
    Math.abs(line.fontSize - body.fontSize) < 0.3;
  const everywhere = pages.flatMap(({ lines }) => lines.filter(isText));
  return pages.flatMap(({ lines }, page) => {
    const found: Candidate[] = [];
    const own = lines.filter(isText);
    const around = edgesOf(own.length > 0 ? own : everywhere);
    const after = textAfter([...lines, ...(pages[page + 1]?.lines ?? [])], excluded);
    let free = 0;
    for (const [index, line] of lines.entries()) {
      if (index < free || excluded.has(line) || !line.upright) continue;
      const candidate = candidateAt(lines, index, page, body, excluded);
      if (candidate === undefined) continue;
      const next = after[index + candidate.lineCount];
      found.push({
        ...candidate,
        isAligned: isAligned(candidate, around),
        leadsToText: candidate.rest !== '' || (next !== undefined && isRunning(next, body)),
        hasHanging: next !== undefined && next.box[0] > candidate.x + 5,
      });
      free = index + candidate.lineCount;
    }
    return found;
  });
}

/** For every place the first line there or after it that may be text. */
function textAfter(
  lines: readonly TextLine[],
  excluded: ReadonlySet<TextLine>,
): readonly (TextLine | undefined)[] {
  let next: TextLine | undefined;
  return lines
    .toReversed()
    .map((line) => {
      if (!excluded.has(line) && line.upright) next = line;
      return next;
    })
    .reverse();
}

function candidateAt(
  lines: readonly TextLine[],
  start: number,
  page: number,
  body: BodyPrint,
  excluded: ReadonlySet<TextLine>,
): Omit<Candidate, 'isAligned' | 'leadsToText' | 'hasHanging'> | undefined {
  const first = lines[start];
  if (first === undefined || first.fontSize < body.fontSize * 0.85) return undefined;
  if (first.runs.every(({ font }) => isMonospaced(font)) && first.fontSize < body.fontSize * 1.07) {
    return undefined;
  }
  const gapAbove = gapBetween(lines[start - 1], first, body);
  const parts = [first];
  while (parts.length < longestHeading) {
    const next = lines[start + parts.length];
    if (next === undefined || excluded.has(next) || !continues(parts, next, body)) break;
    parts.push(next);
  }
  const { runs, text, rest, lineCount } = headOf(parts, body);
  if (text.length > longestText || !/\p{L}/u.test(text)) return undefined;
  const last = lines[start + lineCount - 1] ?? first;
  const below = lines[start + lineCount];
  return {
    page,
    line: start,
    lineCount,
    text,
    rest,
    emphasis: emphasisOf(runs, body),
    style: styleOf(runs),
    x: first.box[0],
    y: first.box[1],
    middle: first.box[0] + first.box[2] / 2,
    fontSize: first.fontSize,
    gapAbove,
    gapBelow: below === undefined ? Infinity : gapBetween(last, below, body),
    hasNeighbour:
      isBeside(lines[start - 1], first) ||
      (rest === '' && below !== undefined && isBeside(last, below)),
  };
}

/** Where lines begin, and where their middles are. Most begin at the same few places. */
interface Edges {
  readonly lefts: readonly number[];
  readonly middles: readonly number[];
}

const edgesOf = (lines: readonly TextLine[]): Edges => ({
  lefts: [...new Set(lines.map(({ box: [left] }) => left))],
  middles: [...new Set(lines.map(({ box: [left, , width] }) => left + width / 2))],
});

const isAligned = (
  { x, middle }: { readonly x: number; readonly middle: number },
  { lefts, middles }: Edges,
): boolean =>
  lefts.some((left) => Math.abs(left - x) < 2.5) ||
  middles.some((other) => Math.abs(other - middle) < 3);

function isRunning(line: TextLine, body: BodyPrint): boolean {
  if (captionLabel.test(line.text)) return false;
  return (
    line.fontSize > body.fontSize * 0.85 &&
    (line.runs.some(({ font }) => font === body.font || isMonospaced(font)) ||
      emphasisOf(line.runs, body) >= emphases.bold)
  );
}
const captionLabel = /^(fig(ure|\.)|tab(le|\.))\s*[\dA-Z]+[.:]/i;

const isBeside = (a: TextLine | undefined, b: TextLine): boolean =>
  a !== undefined && Math.abs(baselineOf(a) - baselineOf(b)) < 2;

function gapBetween(above: TextLine | undefined, line: TextLine, body: BodyPrint): number {
  if (above === undefined) return Infinity;
  const step = baselineOf(line) - baselineOf(above);
  const besides = rightOf(above.box) < line.box[0] || rightOf(line.box) < above.box[0];
  return step < 0 || (besides && step > 2) ? Infinity : step / body.leading;
}

/** Whether `next` is a further line of the heading, or the rest of its line after a gap. */
function continues(parts: readonly TextLine[], next: TextLine, body: BodyPrint): boolean {
  const last = parts.at(-1);
  const [first] = parts;
  if (last === undefined || first === undefined || !next.upright) return false;
  const step = baselineOf(next) - baselineOf(last);
  if (Math.abs(step) < 2)
    return next.box[0] > rightOf(last.box) && next.box[0] - rightOf(last.box) < 3 * last.fontSize;
  const alike = Math.abs(next.fontSize - last.fontSize) < 0.3;
  const close = step > 0 && step < last.fontSize * 1.7;
  if (!alike || !close) return false;
  const emphasis = emphasisOf(first.runs, body);
  if (emphasis < emphases.italic || !isBoldStart(next, first)) return false;
  return (
    !/^(\d{1,2}(\.\d{1,2})*|[A-Z](\.\d{1,2})*)[.:]?\s+\p{Lu}/u.test(next.text) ||
    next.box[0] > first.box[0] + 5
  );
}

/** Whether the line begins in the type of the other one. */
const isBoldStart = (line: TextLine, like: TextLine): boolean =>
  line.runs[0]?.font === like.runs[0]?.font ||
  line.runs[0]?.font === like.runs.at(-1)?.font ||
  styleOf(line.runs) === styleOf(like.runs);

/** The emphasised beginning of the lines: all of them, or up to where plain text goes on. */
function headOf(parts: readonly TextLine[], body: BodyPrint) {
  const whole = {
    runs: parts.flatMap((line) => line.runs),
    text: joined(parts.map(({ text }) => text)),
    rest: '',
    lineCount: parts.length,
  };
  if (!whole.runs.some((run) => isBold(run, body))) return whole;
  const runs = parts.flatMap((line, part) => line.runs.map((run) => ({ run, part })));
  const isPlain = (index: number): boolean => {
    const run = runs[index]?.run;
    return run === undefined || !isBold(run, body);
  };
  // A single plain run may be a symbol in the heading.
  const stop = runs.findIndex(
    ({ run }, index) =>
      index > 0 && isPlain(index) && isPlain(index + 1) && endsHead(runs[index - 1]?.run, run),
  );
  const head = runs.slice(0, Math.max(0, stop));
  const headRuns = head.map(({ run }) => run);
  const part = runs[stop]?.part;
  const line = part === undefined ? undefined : parts[part];
  const isHead = emphasisOf(headRuns, body) === emphases.bold && /\p{L}/u.test(textOf(headRuns));
  if (part === undefined || line === undefined || !isHead) return whole;
  const inLine = textOf(head.filter((item) => item.part === part).map(({ run }) => run));
  return {
    runs: headRuns,
    text: joined([...parts.slice(0, part).map(({ text }) => text), inLine]),
    rest: line.text.slice(inLine.length).trim(),
    lineCount: part + 1,
  };
}

const joined = (texts: readonly string[]): string => texts.filter((text) => text !== '').join(' ');
const textOf = (runs: readonly TextRun[]): string => printed(runs).trimStart();

/** A run-in heading ends with a mark or a wide space. */
const endsHead = (last: TextRun | undefined, next: TextRun): boolean =>
  last !== undefined &&
  (/[.:?!]$/.test(last.text) || next.box[0] - rightOf(last.box) > last.fontSize * 0.7);

/** Fonts of formulas, by their names. */
const isMathematical = (font: string): boolean => /^(cm(sy|mi|ex)|msbm|msam|.*math)/i.test(font);

/** Names are surer than weights: the stems of some regular fonts are as strong as those of bold ones. */
const isBold = (run: TextRun, body: BodyPrint): boolean =>
  (boldName.test(run.font) && !boldName.test(body.font)) ||
  (run.bold && !body.bold && run.font !== body.font);
const boldName = /bold|black|heavy|demi|semib|-medi\b|[a-z]bx\d|cmbx|cmb\d|sf\w*bx|^sfrb|-b$|\.b$/i;

/** How strongly type stands out from the running text. Numbers are steps of `emphasisOf`. */
export const emphases = { none: 0, slight: 1, italic: 2, bold: 3, large: 4 } as const;

/** The emphasis of runs that belong together, by most of their letters. */
function emphasisOf(runs: readonly TextRun[], body: BodyPrint): number {
  const letters = tellingRuns(runs);
  if (letters.length === 0) return emphases.none;
  const size = mostCommon(letters, ({ fontSize }) => fontSize) ?? 0;
  const share = (test: (run: TextRun) => boolean): number =>
    letters.filter(test).reduce((sum, { text }) => sum + text.length, 0) /
    letters.reduce((sum, { text }) => sum + text.length, 0);
  if (size > body.fontSize * 1.07) return emphases.large;
  if (size < body.fontSize * 0.85) return emphases.none;
  if (share((run) => isBold(run, body)) > 0.5) return emphases.bold;
  const text = letters.map((run) => run.text).join('');
  if (/\p{Lu}{4}/u.test(text) && !/\p{Ll}/u.test(text)) return emphases.italic;
  if (share(({ font }) => isMonospaced(font)) > 0.5) return emphases.none;
  if (share((run) => run.italic && !body.italic) > 0.7) return emphases.italic;
  return share((run) => run.font !== body.font) > 0.7 && body.font !== ''
    ? emphases.slight
    : emphases.none;
}

/** Without formulas and the names of programs, which have the same type in running text and in headings. */
function tellingRuns(runs: readonly TextRun[]): readonly TextRun[] {
  const words = runs.filter(
    ({ text, font }) => /[\p{L}\p{N}]/u.test(text) && !isMathematical(font),
  );
  const plain = words.filter(({ font }) => !isMonospaced(font));
  return plain.length > 0 ? plain : words;
}

/** A name for the type of runs, equal for headings of one level. */
function styleOf(runs: readonly TextRun[]): string {
  const telling = tellingRuns(runs);
  const font = mostCommon(telling, (run) => run.font) ?? '';
  const size = mostCommon(telling, ({ fontSize }) => fontSize) ?? 0;
  return `${font} ${Math.round(size * 2) / 2}`;
}
