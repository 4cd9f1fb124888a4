/** A run of equal characters: where it begins in either text. Its length is of no concern here. */
export interface Block {
  readonly short: number;
  readonly long: number;
}

const up = 1;
const left = 2;
const diagonal = 3;

/**
 * The matching blocks of python-Levenshtein 0.26 (evaluation-functions.md §3.10), with the empty one at both ends:
 * a minimal alignment by unit-cost edits, ties broken in its own way.
 */
export function matchingBlocks(
  short: readonly string[],
  long: readonly string[],
): readonly Block[] {
  const prefix = commonLength(short, long, (text, index) => text[index]);
  const restOf = (text: readonly string[]): readonly string[] => text.slice(prefix);
  const suffix = commonLength(restOf(short), restOf(long), (text, index) => text.at(-1 - index));
  const matches: Block[] = [];
  for (let index = 0; index < prefix; index += 1) matches.push({ short: index, long: index });
  for (const match of alignment(
    short.slice(prefix, short.length - suffix),
    long.slice(prefix, long.length - suffix),
  )) {
    matches.push({ short: prefix + match.short, long: prefix + match.long });
  }
  for (let index = suffix; index > 0; index -= 1) {
    matches.push({ short: short.length - index, long: long.length - index });
  }
  const starts = matches.filter((match, index) => {
    const before = matches[index - 1];
    return before?.short !== match.short - 1 || before.long !== match.long - 1;
  });
  return [...starts, { short: short.length, long: long.length }];
}

function commonLength(
  a: readonly string[],
  b: readonly string[],
  at: (text: readonly string[], index: number) => string | undefined,
): number {
  const limit = Math.min(a.length, b.length);
  let length = 0;
  while (length < limit && at(a, length) === at(b, length)) length += 1;
  return length;
}

/** The pairs of equal characters on the path back from the far corner of the table of edit distances, in order. */
function alignment(short: readonly string[], long: readonly string[]): readonly Block[] {
  const steps = stepsBack(short, long);
  const matches: Block[] = [];
  let i = short.length;
  let j = long.length;
  while (i > 0 && j > 0) {
    const step = steps[(i - 1) * long.length + j - 1];
    if (step !== left) i -= 1;
    if (step !== up) j -= 1;
    if (step === diagonal && short[i] === long[j]) matches.push({ short: i, long: j });
  }
  return matches.reverse();
}

/** For each cell of the table the step its alignment takes; a byte each, since answers can be long. */
function stepsBack(short: readonly string[], long: readonly string[]): Uint8Array {
  const steps = new Uint8Array(short.length * long.length);
  let above = Uint32Array.from({ length: long.length + 1 }, (_, j) => j);
  let row = new Uint32Array(long.length + 1);
  for (const [i, char] of short.entries()) {
    row[0] = i + 1;
    for (let j = 1; j <= long.length; j += 1) {
      const corner = above[j - 1] ?? 0;
      const over = above[j] ?? 0;
      const before = row[j - 1] ?? 0;
      const cost = Math.min(over + 1, before + 1, corner + (char === long[j - 1] ? 0 : 1));
      row[j] = cost;
      steps[i * long.length + j - 1] =
        cost === over + 1 ? up : before === corner - 1 ? left : diagonal;
    }
    [above, row] = [row, above];
  }
  return steps;
}
