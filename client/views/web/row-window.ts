interface RowWindow {
  /** How far the box is scrolled, in pixels. */
  readonly top: number;
  /** Of the box, in pixels. */
  readonly height: number;
  readonly rowHeight: number;
  readonly count: number;
  /** A row that stays in the document wherever the box is scrolled: it may have the focus. */
  readonly keep: number;
}

/** Rows beyond the edges, so that quick scrolling shows no gap. */
const beyond = 12;

/** The indexes of the rows that are in the document, in order. */
export function visibleRows({ top, height, rowHeight, count, keep }: RowWindow): readonly number[] {
  const first = Math.max(0, Math.floor(top / rowHeight) - beyond);
  const end = Math.min(count, Math.ceil((top + height) / rowHeight) + beyond);
  const seen = Array.from({ length: Math.max(0, end - first) }, (_, at) => first + at);
  if (keep < 0 || keep >= count) return seen;
  if (keep < first) return [keep, ...seen];
  return keep >= end ? [...seen, keep] : seen;
}
