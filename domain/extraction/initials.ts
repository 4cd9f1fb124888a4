// cspell:ignore aioyàé ealised
import { countsOf } from '../statistics/means.js';
import { baselineOf, bodyPrint, lineOf } from './lines.js';
import { rightOf, type PdfContent, type TextLine, type TextRun } from './page-content.js';

/** Of the size of running text. */
const leastSize = 1.8;
const initial = /^["“„«»‘']?\p{Lu}$/u;
const quote = /^["“„«»‘']$/;

/** With the large initials at the start of paragraphs as parts of their words: `R` and `ealised` are `Realised`. */
export function withInitials(content: PdfContent): PdfContent {
  const size = bodyPrint(content).fontSize;
  const runs = content.pages.flatMap((page) => page.lines.flatMap((line) => line.runs));
  const words = runs.flatMap(({ text }) => text.toLowerCase().split(/[^\p{L}]+/u));
  let counts: ReadonlyMap<string, number> | undefined;
  const has = (text: string, times: number): boolean => {
    counts ??= countsOf(words);
    return (counts.get(/^\p{L}*/u.exec(text.toLowerCase())?.[0] ?? '') ?? 0) >= times;
  };
  return {
    ...content,
    pages: content.pages.map((page) => {
      const starts = page.lines.flatMap((line) => startOf(line, size));
      const joined = (lines: readonly TextLine[], start: readonly TextRun[]) =>
        withInitial(lines, start, size, has);
      return { ...page, lines: starts.reduce(joined, page.lines) };
    }),
  };
}

/** The large initial at the start of a line, behind a quotation mark where that has its own run. */
function startOf({ upright, runs }: TextLine, size: number): readonly (readonly TextRun[])[] {
  const start = runs.slice(0, quote.test(runs[0]?.text ?? '') ? 2 : 1);
  const large = start.at(-1);
  const isLarge = large !== undefined && large.fontSize >= size * leastSize;
  return upright && isLarge && initial.test(large.text) ? [start] : [];
}

/** @param has - whether the document has a word so often */
function withInitial(
  lines: readonly TextLine[],
  start: readonly TextRun[],
  size: number,
  has: (text: string, times: number) => boolean,
): readonly TextLine[] {
  const others = lines.flatMap((line) => {
    const runs = line.runs.filter((run) => !start.includes(run));
    if (runs.length === line.runs.length) return [line];
    return runs.length === 0 ? [] : [lineOf({ ...line, runs })];
  });
  const [left] = start;
  const large = start.at(-1);
  const [first] = others
    .filter((line) => large !== undefined && isBeside(line, large, size))
    .sort((a, b) => a.box[1] - b.box[1]);
  const [word, ...rest] = first?.runs ?? [];
  if (!left || !large || !first || !word) return lines;
  const letter = large.text.slice(-1);
  const isAlone = /[AIOYÀÉ]/.test(letter);
  const isCapital = /^\p{Lu}\p{Ll}/u.test(word.text);
  if (!/^\p{Ll}|^\p{Lu}/u.test(word.text) || (isCapital && !isAlone)) return lines;
  const isLevel = Math.abs(baselineOf(first) - large.baseline) < 1;
  if (!isLevel && Math.abs(first.box[1] - large.box[1]) > size * 0.7) return lines;
  const isWord = isAlone && (isCapital || (!has(letter + word.text, 1) && has(word.text, 2)));
  const text = [...start.map((run) => run.text), isWord ? ' ' : '', word.text].join('');
  const box = [left.box[0], word.box[1], rightOf(word.box) - left.box[0], word.box[3]] as const;
  const joined = lineOf({ ...first, runs: [{ ...word, text, box, spaced: false }, ...rest] });
  return others.map((line) => (line === first ? joined : line));
}

/** Whether a line of running text begins right of an initial. */
function isBeside(line: TextLine, { box, baseline }: TextRun, size: number): boolean {
  const gap = line.box[0] - rightOf(box);
  const own = baselineOf(line);
  const isText = Math.abs(line.fontSize - size) < size * 0.15 && line.text.length > 10;
  const isNear = gap > -1 && gap < size * 1.5 && own > box[1] && own < baseline + 1;
  return line.upright && isText && isNear;
}
