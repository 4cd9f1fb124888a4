/** From this length on, characters that are more than 1 % of the second text begin no block. */
const popularFrom = 200;

/** The `ratio` of Python's `difflib.SequenceMatcher`, from 0 to 1: the share of characters in common blocks. It depends on the order of the texts. */
export function similarity(a: string, b: string): number {
  const [left, right] = [Array.from(a), Array.from(b)];
  const length = left.length + right.length;
  return length === 0 ? 1 : (2 * commonCharacters(left, right)) / length;
}

/** Finds the longest common block, then the blocks left and right of it. */
function commonCharacters(a: readonly string[], b: readonly string[]): number {
  const places = placesOf(b);
  const spans = [{ a: 0, aEnd: a.length, b: 0, bEnd: b.length }];
  let common = 0;
  for (let span = spans.pop(); span; span = spans.pop()) {
    const block = longestBlock(a, b, places, span);
    if (block.size === 0) continue;
    common += block.size;
    spans.push({ ...span, aEnd: block.a, bEnd: block.b });
    spans.push({ ...span, a: block.a + block.size, b: block.b + block.size });
  }
  return common;
}

/** Where each character is, without the popular ones. */
function placesOf(b: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  b.forEach((char, index) => {
    const indices = places.get(char);
    if (indices) indices.push(index);
    else places.set(char, [index]);
  });
  const most = b.length < popularFrom ? Infinity : Math.floor(b.length / 100) + 1;
  return new Map([...places].filter(([, indices]) => indices.length <= most));
}

interface Span {
  readonly a: number;
  readonly aEnd: number;
  readonly b: number;
  readonly bEnd: number;
}

/** The first of the longest blocks, extended by popular characters around it. */
function longestBlock(
  a: readonly string[],
  b: readonly string[],
  places: ReadonlyMap<string, readonly number[]>,
  span: Span,
): { readonly a: number; readonly b: number; readonly size: number } {
  let best = { a: span.a, b: span.b, size: 0 };
  let lengths = new Map<number, number>();
  for (let i = span.a; i < span.aEnd; i += 1) {
    const next = new Map<number, number>();
    for (const j of places.get(a[i] ?? '') ?? []) {
      if (j < span.b || j >= span.bEnd) continue;
      const size = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, size);
      if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size };
    }
    lengths = next;
  }
  let { a: start, b: other, size } = best;
  while (start > span.a && other > span.b && a[start - 1] === b[other - 1]) {
    start -= 1;
    other -= 1;
    size += 1;
  }
  while (
    start + size < span.aEnd &&
    other + size < span.bEnd &&
    a[start + size] === b[other + size]
  ) {
    size += 1;
  }
  return { a: start, b: other, size };
}
