import { readEntry } from '../references/read-entry.js';
import type { PartPlace, ReferencePart } from './paper-parts.js';

/** `[12]`, `[Smi99]`, `(12)` or `12.` in front of an entry, or a bullet. */
const mark = /^(?:\[([^\]]{1,30})\]\s*|\(?(\d{1,3})[.)]\s+|[•◦▪∗*·-]\s+)/u;

/** The entries of a list of references of which only the texts are told, in order. */
export function readReferences(
  entries: readonly (PartPlace & { readonly text: string })[],
): readonly ReferencePart[] {
  const references: ReferencePart[] = [];
  for (const { text: printed, page, box } of entries) {
    const [front = '', bracketed, numbered] = mark.exec(printed) ?? [];
    const text = printed.slice(front.length).replace(/\s+/g, ' ').trim();
    if (text === '') continue;
    references.push({
      ...readEntry(text, references.at(-1)?.authors ?? []),
      label: bracketed ?? numbered ?? null,
      page,
      box,
    });
  }
  return references;
}
