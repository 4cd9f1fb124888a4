import { unionOf } from './boxes.js';
import type { PdfContent, TextLine } from './page-content.js';
import type { PaperReference } from './paper.js';
import { joinRows, readEntry } from './references/read-entry.js';
import { findReferenceLists } from './references/reference-list.js';
import { qualityOf, splitEntries, type Entry } from './references/split-entries.js';

export interface FoundReferences {
  readonly references: readonly PaperReference[];
  /** The lines of the entries, without the heading above them. */
  readonly lines: readonly TextLine[];
}

/**
 * The entries of the paper's list of references, or of several lists one after the other.
 * @param dropped - running heads, page numbers and other lines that are no text
 */
export function findReferences(
  content: PdfContent,
  dropped: ReadonlySet<TextLine> = new Set(),
): FoundReferences {
  const entries = findReferenceLists(content, dropped)
    .map(({ rows }) => splitEntries(rows))
    .filter(readsAsReferences)
    .flat();
  const references: PaperReference[] = [];
  for (const entry of entries) references.push(referenceOf(entry, references.at(-1)));
  return {
    references,
    lines: entries.flatMap(({ rows }) => rows.flatMap((row) => row.lines)),
  };
}

/** A section of that name may hold text instead, e.g. in a manual, and a table may have such a column. */
const readsAsReferences = (entries: readonly Entry[]): boolean => qualityOf(entries) >= 0.5;

function referenceOf({ rows, label }: Entry, before: PaperReference | undefined): PaperReference {
  const text = joinRows(rows);
  const page = rows[0]?.page ?? 1;
  const onPage = rows.filter((row) => row.page === page).flatMap((row) => row.lines);
  return {
    ...readEntry(text, before?.authors ?? []),
    label,
    page,
    box: unionOf(onPage.map(({ box }) => box)),
  };
}
