import { bottomOf, rightOf } from './boxes.js';
import type { Box, PdfContent, TextLine } from './page-content.js';

/** How the running text of a paper is printed. */
export interface BodyPrint {
  /** The most frequent font size, by characters. */
  readonly fontSize: number;
  /** The font of most characters of that size. */
  readonly font: string;
  /** From a baseline to the next one, in points. */
  readonly leading: number;
}

export function bodyPrint({ pages }: PdfContent): BodyPrint {
  const lines = pages.flatMap((page) => page.lines).filter(({ upright }) => upright);
  const fontSize = mostCharacters(lines.map((line) => [line.fontSize, line.text])) ?? 10;
  const body = lines.filter((line) => line.fontSize === fontSize);
  const runs = body.flatMap((line) => line.runs);
  const steps = body.flatMap((line, index): [number, string][] => {
    const before = body[index - 1];
    const step = before === undefined ? 0 : baselineOf(line) - baselineOf(before);
    return step > fontSize * 0.9 && step < fontSize * 3 ? [[Math.round(step * 2) / 2, '.']] : [];
  });
  return {
    fontSize,
    font: mostCharacters(runs.map(({ font, text }) => [font, text])) ?? '',
    leading: mostCharacters(steps) ?? fontSize * 1.2,
  };
}

function mostCharacters<T>(texts: readonly (readonly [T, string])[]): T | undefined {
  const characters = new Map<T, number>();
  for (const [key, { length }] of texts) characters.set(key, (characters.get(key) ?? 0) + length);
  return [...characters].sort(([, a], [, b]) => b - a)[0]?.[0];
}

/** The y on which most characters of the line stand. */
export const baselineOf = ({ runs, box }: TextLine): number =>
  mostCharacters(runs.map((run) => [run.baseline, run.text])) ?? bottomOf(box);

/** The width that two boxes share; negative for the gap between them. */
export const sharedWidth = (a: Box, b: Box): number =>
  Math.min(rightOf(a), rightOf(b)) - Math.max(a[0], b[0]);

/** The height that two boxes share; negative for the gap between them. */
export const sharedHeight = (a: Box, b: Box): number =>
  Math.min(bottomOf(a), bottomOf(b)) - Math.max(a[1], b[1]);

/**
 * Whether a paragraph can go on from one line to the next one: the first word of the next line had no place in the line above.
 * @param measure - the width of the paragraph's longest line
 */
export function isFull(line: TextLine, next: TextLine, measure: number): boolean {
  const [first, ...others] = next.runs;
  if (first === undefined) return false;
  const end = others.findIndex(({ spaced }) => spaced);
  const word = [first, ...others.slice(0, end === -1 ? others.length : end)];
  const wordWidth = Math.max(...word.map(({ box }) => rightOf(box))) - first.box[0];
  const space = line.fontSize * 0.2;
  return measure - line.box[2] < wordWidth + space;
}
