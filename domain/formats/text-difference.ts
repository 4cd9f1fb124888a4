/** A piece of two versions of a text. */
export interface TextPiece {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** Words times words that are compared; texts that differ in more are removed and added as a whole. */
const mostComparisons = 4_000_000;

/** How two texts differ, word by word, with the longest common subsequence kept. */
export function textDifference(before: string, after: string): readonly TextPiece[] {
  const [old, now] = [wordsOf(before), wordsOf(after)];
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  return merged([
    { kind: 'same', text: now.slice(0, start).join('') },
    ...middle(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    { kind: 'same', text: now.slice(now.length - end).join('') },
  ]);
}

/** Each with the white space after it. */
const wordsOf = (text: string): readonly string[] => text.match(/\s*\S+\s*$|\S+\s*|^\s+/g) ?? [];

function middle(old: readonly string[], now: readonly string[]): readonly TextPiece[] {
  if (old.length * now.length > mostComparisons) {
    return [
      { kind: 'removed', text: old.join('') },
      { kind: 'added', text: now.join('') },
    ];
  }
  // Lengths of the longest common subsequences of what follows.
  const width = now.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  const lengthAt = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = now.length - 1; column >= 0; column -= 1) {
      lengths[row * width + column] =
        old[row] === now[column]
          ? lengthAt(row + 1, column + 1) + 1
          : Math.max(lengthAt(row + 1, column), lengthAt(row, column + 1));
    }
  }
  const pieces: TextPiece[] = [];
  let [row, column] = [0, 0];
  while (row < old.length || column < now.length) {
    const [gone = '', come = ''] = [old[row], now[column]];
    if (row < old.length && column < now.length && gone === come) {
      pieces.push({ kind: 'same', text: come });
      row += 1;
      column += 1;
    } else if (
      column === now.length ||
      (row < old.length && lengthAt(row + 1, column) >= lengthAt(row, column + 1))
    ) {
      pieces.push({ kind: 'removed', text: gone });
      row += 1;
    } else {
      pieces.push({ kind: 'added', text: come });
      column += 1;
    }
  }
  return pieces;
}

/** Neighbours of one kind as one, without empty ones. */
function merged(pieces: readonly TextPiece[]): readonly TextPiece[] {
  const joined: TextPiece[] = [];
  for (const piece of pieces) {
    if (piece.text === '') continue;
    const last = joined.at(-1);
    if (last?.kind === piece.kind) {
      joined[joined.length - 1] = { kind: last.kind, text: last.text + piece.text };
    } else joined.push(piece);
  }
  return joined;
}
