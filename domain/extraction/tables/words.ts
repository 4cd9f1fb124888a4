import { groupNeighbours } from '../../groups.js';
import { rightOf, unionOf } from '../boxes.js';
import { softHyphen, type Box, type PageContent, type TextLine } from '../page-content.js';

/** Runs without a space between them. */
export interface Word {
  readonly text: string;
  readonly box: Box;
  /** Of its first run. */
  readonly baseline: number;
  readonly fontSize: number;
  readonly font: string;
  readonly bold: boolean;
  readonly line: TextLine;
}

/** Words beside each other. */
export interface Row {
  /** From left to right. */
  readonly words: readonly Word[];
  /** The y of the first and of the last baseline; a cell of two lines beside one of one line has other baselines. */
  readonly first: number;
  readonly last: number;
  /** Of its largest word. */
  readonly fontSize: number;
}

/** Marks that lead from a row's name to its values. */
const leader = /^[.·…_]{3,}$|^[.·…]$/;
const trailingLeader = /[.·…_]{4,}$/;

/** The words of the level lines, without leaders of dots. */
export function wordsOf({ lines }: PageContent): readonly Word[] {
  return lines.filter(({ upright }) => upright).flatMap(wordsOfLine);
}

function wordsOfLine(line: TextLine): readonly Word[] {
  const words: Word[] = [];
  for (const run of line.runs) {
    const last = words.at(-1);
    const near =
      last !== undefined && run.box[0] - rightOf(last.box) < Math.max(run.fontSize, 4) * 0.3;
    const { box, baseline, fontSize, font, bold, inText: text = run.text } = run;
    if (last !== undefined && !run.spaced && near) {
      words[words.length - 1] = { ...last, text: last.text + text, box: unionOf([last.box, box]) };
    } else {
      words.push({ text, box, baseline, fontSize, font, bold, line });
    }
  }
  return words.flatMap((word) => {
    if (leader.test(word.text) && words.length > 1) return [];
    const text = word.text.replace(trailingLeader, '');
    if (text === word.text) return [word];
    const [x, y, width, height] = word.box;
    const share = text.length / word.text.length;
    return text === '' ? [] : [{ ...word, text, box: [x, y, width * share, height] as const }];
  });
}

/** Rows from the top. Words belong to one row if their baselines are nearer than lines of text can be. */
export function rowsOf(words: readonly Word[]): readonly Row[] {
  const sorted = [...words].sort((a, b) => a.baseline - b.baseline);
  return groupNeighbours(
    sorted,
    ({ baseline, fontSize }, before) => baseline - before.baseline < nearestLines * fontSize,
  ).map(rowOf);
}

/** Baselines of text are at least this far apart, in ems. */
const nearestLines = 0.66;

function rowOf(words: readonly Word[]): Row {
  const baselines = words.map(({ baseline }) => baseline);
  return {
    words: [...words].sort((a, b) => a.box[0] - b.box[0]),
    first: Math.min(...baselines),
    last: Math.max(...baselines),
    fontSize: Math.max(...words.map(({ fontSize }) => fontSize)),
  };
}

/** The width of a space of the page's text, in ems. */
export function spaceOf(words: readonly Word[]): number {
  const gaps = words.flatMap((word, index) => {
    const before = words[index - 1];
    if (before?.line !== word.line) return [];
    const gap = (word.box[0] - rightOf(before.box)) / word.fontSize;
    return gap > 0.1 && gap < 0.8 ? [gap] : [];
  });
  return gaps.length < 10 ? 0.28 : median(gaps);
}

/** Text of the words, line by line. */
export function textOf(words: readonly Word[]): string {
  const lines = rowsOfLines(words).map((line) => line.map(({ text }) => text).join(' '));
  return lines
    .reduce((text, line) => (text.endsWith(softHyphen) ? text + line : `${text} ${line}`), '')
    .replaceAll(softHyphen, '')
    .trim();
}

function rowsOfLines(words: readonly Word[]): readonly (readonly Word[])[] {
  const sorted = [...words].sort((a, b) => a.baseline - b.baseline);
  const lines = groupNeighbours(
    sorted,
    ({ baseline, fontSize }, _, [first]) => baseline - (first?.baseline ?? 0) < 0.5 * fontSize,
  );
  return lines.map((line) => line.sort((a, b) => a.box[0] - b.box[0]));
}

/** Numbers, amounts and the marks that stand for missing ones. */
export const isNumeric = (text: string): boolean =>
  /^[-–—−+±<>≤≥~≈$€£(*[]*\d[\d.,:/\-–−%()*†‡\]a-f^]*$/.test(text) ||
  /^[-–—−.:*†‡]+$|^\(?n\/?a\)?\.?$/i.test(text);

/** @param values - not empty */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
