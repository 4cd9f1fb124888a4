import { bottomOf, rightOf, type Box, type PdfContent, type TextLine } from './page-content.js';

/** How the running text of a paper is printed. */
export interface BodyPrint {
  readonly fontSize: number;
  /** Of most of its characters; may be empty. */
  readonly font: string;
  readonly bold: boolean;
  readonly italic: boolean;
  /** The usual distance of baselines. */
  readonly leading: number;
}

export function bodyPrint({ pages }: Pick<PdfContent, 'pages'>): BodyPrint {
  const lines = pages.flatMap((page) => page.lines.filter(({ upright }) => upright));
  const fontSize = mostCommon(lines, (line) => line.fontSize) ?? 10;
  const isBody = (line: TextLine): boolean => Math.abs(line.fontSize - fontSize) < 0.3;
  const ofSize = lines.filter(isBody);
  const runs = ofSize.flatMap((line) => line.runs).filter(({ font }) => !isMonospaced(font));
  const font = mostCommon(runs, (run) => run.font) ?? '';
  const ofFont = runs.find((run) => run.font === font);
  const steps = pages.flatMap((page) =>
    page.lines.flatMap((line, index) => {
      const above = page.lines[index - 1];
      if (above === undefined || !line.upright || !isBody(line)) return [];
      const step = baselineOf(line) - baselineOf(above);
      const fits = step > fontSize * 0.8 && step < fontSize * 2.5;
      return fits ? [[Math.round(step * 2) / 2, 1] as const] : [];
    }),
  );
  return {
    fontSize,
    font,
    bold: ofFont?.bold ?? false,
    italic: ofFont?.italic ?? false,
    leading: heaviest(steps) ?? fontSize * 1.2,
  };
}

/** The value with the greatest sum of weights. */
export function heaviest<T>(
  weighted: readonly (readonly [value: T, weight: number])[],
): T | undefined {
  const sums = new Map<T, number>();
  for (const [value, weight] of weighted) sums.set(value, (sums.get(value) ?? 0) + weight);
  return withMost(sums);
}

/** The value of most characters of runs or lines. */
export function mostCommon<Part extends { readonly text: string }, T>(
  parts: readonly Part[],
  valueOf: (part: Part) => T,
): T | undefined {
  const counts = new Map<T, number>();
  for (const part of parts) {
    const value = valueOf(part);
    counts.set(value, (counts.get(value) ?? 0) + part.text.length);
  }
  return withMost(counts);
}

/** The first one of several. */
function withMost<T>(counts: ReadonlyMap<T, number>): T | undefined {
  let found: T | undefined;
  let most = -Infinity;
  for (const [value, count] of counts) {
    if (count > most) [found, most] = [value, count];
  }
  return found;
}

/** Of the longest run: raised marks and accents have others. */
export const baselineOf = ({ runs, box }: TextLine): number =>
  mostCommon(runs, ({ baseline }) => baseline) ?? bottomOf(box);

/** Fonts of program listings, by their names. */
export const isMonospaced = (font: string): boolean =>
  /mono|nimbusmon|cour|typewriter|consol|fixed|menlo|tt\d|^cm\w*tt|^sf[ts]t|^(lm|ec)tt|[a-z]tt-|-tt/i.test(
    font,
  );

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
  // Lines do not break before a number: `Table 5`.
  const end = others.findIndex(({ spaced, text }) => spaced && !/^\d/.test(text));
  const word = [first, ...others.slice(0, end === -1 ? others.length : end)];
  const wordWidth = Math.max(...word.map(({ box }) => rightOf(box))) - first.box[0];
  const space = line.fontSize * 0.2;
  return measure - line.box[2] < wordWidth + space;
}
