import { rightOf } from '../boxes.js';
import { columnsOf } from './columns.js';
import { isNumeric, rowsOf, type Row, type Word } from './words.js';

/** Between rows that no rule divides: of numbers, or of texts too short to be lines of one cell. */
export function rowSplits(
  text: readonly Row[],
  top: number,
  bottom: number,
  xs: readonly number[],
): readonly number[] {
  const rows = text.filter(({ first, last }) => first > top && last < bottom + 2);
  if (rows.length < 2) return [];
  const columns = xs.slice(1).map((x, index) => {
    const left = xs[index] ?? 0;
    const isInside = ({ box }: Word): boolean =>
      box[0] + box[2] / 2 > left && box[0] + box[2] / 2 < x;
    return { left, right: x, lines: rows.map(({ words }) => words.filter(isInside)) };
  });
  const filled = columns.filter(
    ({ lines }) => lines.filter((line) => line.length > 0).length >= rows.length * 0.8,
  );
  const numeric = columns.some(
    ({ lines }) => lines.filter(isNumericLine).length >= rows.length * 0.6,
  );
  const divided = numeric ? filled.length > 1 : filled.filter(isList).length > 1 && rows.length > 2;
  if (!divided) return [];
  return rows
    .slice(1)
    .map(({ first, fontSize }, index) => ((rows[index]?.last ?? 0) + first - fontSize * 0.7) / 2);
}

const isNumericLine = (words: readonly Word[]): boolean =>
  words.length > 0 && words.every(({ text }) => isNumeric(text));

/** Whether lines end although the first word of the next one had a place. */
function isList({
  left,
  right,
  lines,
}: {
  readonly left: number;
  readonly right: number;
  readonly lines: readonly (readonly Word[])[];
}): boolean {
  const texts = lines.filter((words) => words.length > 0);
  const starts = texts.map((words) => words[0]?.box[0] ?? 0);
  const room = right - left - 2 * (Math.min(...starts) - left);
  const early = texts.slice(1).filter(([next], index) => {
    const above = texts[index] ?? [];
    const end = Math.max(...above.map(({ box }) => rightOf(box)));
    const width = end - (above[0]?.box[0] ?? 0);
    return next !== undefined && width + next.box[2] + next.fontSize * 0.4 < room;
  });
  return early.length >= (texts.length - 1) * 0.8;
}

/** Between columns of words that no rule divides. */
export function columnSplits(
  words: readonly Word[],
  left: number,
  right: number,
  space: number,
): readonly number[] {
  const inside = words.filter(({ box }) => box[0] > left - 2 && box[0] + box[2] < right + 2);
  const rows = rowsOf(inside);
  if (rows.length < 3) return [];
  const columns = columnsOf(rows, space);
  const both = rows.filter((row) =>
    columns.every(({ from, to }) =>
      row.words.some(({ box }) => box[0] < to && box[0] + box[2] > from),
    ),
  );
  if (columns.length < 2 || both.length < rows.length * 0.6) return [];
  const values = columns
    .slice(1)
    .some(
      ({ from, to }) =>
        inside.filter(({ box, text }) => box[0] < to && box[0] + box[2] > from && isNumeric(text))
          .length >=
        rows.length * 0.5,
    );
  return values
    ? columns.slice(1).map(({ from }, index) => ((columns[index]?.to ?? 0) + from) / 2)
    : [];
}
