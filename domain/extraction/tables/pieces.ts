import { rightOf } from '../boxes.js';
import { wideGap, type Column } from './columns.js';
import { isNumeric, type Row, type Word } from './words.js';

/** Words of a row that stand in one column, or in several ones without a wide gap. */
export interface Piece {
  readonly words: readonly Word[];
  readonly column: number;
  readonly lastColumn: number;
}
/** A row with its pieces from left to right. */
export interface PieceRow extends Row {
  readonly pieces: readonly Piece[];
}

/** The words of a row by column. */
export function piecesOf(row: Row, columns: readonly Column[], space: number): readonly Piece[] {
  const pieces: { words: Word[]; column: number; lastColumn: number }[] = [];
  for (const word of row.words) {
    const column = nearestColumn(word, columns);
    const piece = pieces.at(-1);
    const last = piece?.words.at(-1);
    if (piece !== undefined && last !== undefined) {
      const gap = (word.box[0] - rightOf(last.box)) / word.fontSize;
      const numbers = isNumeric(last.text) && isNumeric(word.text);
      const flows = gap < wideGap(space) && !numbers;
      if (column === piece.lastColumn || flows) {
        piece.words.push(word);
        piece.lastColumn = Math.max(piece.lastColumn, column);
        continue;
      }
    }
    pieces.push({ words: [word], column, lastColumn: column });
  }
  return pieces;
}

function nearestColumn({ box: [x, , width] }: Word, columns: readonly Column[]): number {
  const distances = columns.map(({ from, to }) => Math.max(from - x - width, x - to));
  return distances.indexOf(Math.min(...distances));
}
