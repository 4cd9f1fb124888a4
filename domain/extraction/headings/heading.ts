/** The heading of a section. Page and line are counted from 0. */
export interface Heading {
  /** Without the number. */
  readonly title: string;
  /** As printed; null where it has none. */
  readonly number: string | null;
  /** From 1. */
  readonly level: number;
  readonly page: number;
  readonly line: number;
  /** 0 when the heading was not found among the lines, e.g. because the outline names a page only. */
  readonly lineCount: number;
  /** What stands after a run-in heading in its last line: it belongs to the text. Else empty. */
  readonly rest: string;
}
