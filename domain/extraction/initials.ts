import { countsOf } from '../statistics/means.js';
import { baselineOf, bodyPrint } from './body-print.js';
import { rightOf } from './boxes.js';
import { lineOf } from './lines.js';
import type { PageContent, PdfContent, TextLine, TextRun } from './page-content.js';

/** Of the size of running text. */
const leastSize = 1.8;
const initial = /^["“„«»‘']?\p{Lu}$/u;
const quote = /^["“„«»‘']$/;

/** With the large initials at the start of paragraphs as parts of their words: `R` and `ealised` are `Realised`. */
export function withInitials(content: PdfContent): PdfContent {
  const size = bodyPrint(content).fontSize;
  const isInitial = (run: TextRun | undefined): run is TextRun =>
    run !== undefined && initial.test(run.text) && run.fontSize >= size * leastSize;
  const pages = content.pages.map((page) => {
    const starts = page.lines.flatMap(({ upright, runs: [first, second] }) => {
      if (upright && isInitial(first)) return [[first]];
      return upright && first && quote.test(first.text) && isInitial(second)
        ? [[first, second]]
        : [];
    });
    return starts.reduce((joined, start) => withInitial(joined, start, size, counts()), page);
  });
  return { ...content, pages };

  /** How often each word is printed. */
  function counts(): ReadonlyMap<string, number> {
    const lines = content.pages.flatMap((page) => page.lines);
    const texts = lines.flatMap(({ runs }) => runs.map(({ text }) => text.toLowerCase()));
    return countsOf(texts.flatMap((text) => text.split(/[^\p{L}]+/u)));
  }
}

/** @param start - the initial, behind a quotation mark where that has its own run */
function withInitial(
  page: PageContent,
  start: readonly TextRun[],
  size: number,
  counts: ReadonlyMap<string, number>,
): PageContent {
  const large = start.at(-1);
  const others = page.lines.flatMap((line) => {
    const runs = line.runs.filter((run) => !start.includes(run));
    return runs.length === 0
      ? []
      : [runs.length === line.runs.length ? line : lineOf({ ...line, runs })];
  });
  if (large === undefined) return page;
  const [first] = others
    .filter((line) => isBeside(line, large, size))
    .sort((a, b) => a.box[1] - b.box[1]);
  const [word, ...rest] = first?.runs ?? [];
  if (first === undefined || word === undefined || !/^\p{Ll}|^\p{Lu}+(?!\p{Ll})/u.test(word.text))
    return page;
  const isLevel = Math.abs(baselineOf(first) - large.baseline) < 1;
  if (!isLevel && Math.abs(first.box[1] - large.box[1]) > size * 0.7) return page;
  const [left] = start;
  const letters = start.map(({ text }) => text).join('');
  const x = left?.box[0] ?? 0;
  const box = [x, word.box[1], rightOf(word.box) - x, word.box[3]] as const;
  const isWord =
    /[AIOYÀÉ]$/.test(letters) && !has(letters.slice(-1) + word.text, 1) && has(word.text, 2);
  const text = `${letters}${isWord ? ' ' : ''}${word.text}`;
  const joined = lineOf({ ...first, runs: [{ ...word, text, box, spaced: false }, ...rest] });
  return { ...page, lines: others.map((line) => (line === first ? joined : line)) };

  function has(text: string, times: number): boolean {
    return (counts.get(/^\p{L}*/u.exec(text.toLowerCase())?.[0] ?? '') ?? 0) >= times;
  }
}

/** Whether a line of running text begins right of an initial. */
function isBeside(line: TextLine, { box, baseline }: TextRun, size: number): boolean {
  const gap = line.box[0] - rightOf(box);
  const own = baselineOf(line);
  return (
    line.upright &&
    Math.abs(line.fontSize - size) < size * 0.15 &&
    gap > -1 &&
    gap < size * 1.5 &&
    own > box[1] &&
    own < baseline + 1 &&
    line.text.length > 10
  );
}
