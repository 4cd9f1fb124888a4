import { z } from 'zod';
import { contentPaperId, normalizeTitle } from './paper-rows.js';
import type { StoredPaper } from './store-manifest.js';

/**
 * What an ingestion does with a PDF that has the title, and so the id, of another PDF: of a paper in the store, or of another
 * file of the same ingestion. The same PDF twice is one paper and no conflict. Imported papers have ids of their own: a PDF
 * conflicts with one of its title, two of them only if they have the same id.
 */
export const conflictPolicySchema = z.enum([
  /** Both are papers of the store. */
  'keep-both',
  /** The other one stays, and the new file counts as unchanged. */
  'ignore',
  /** The new PDF takes the place and the id of the paper in the store. Two new files with one title are both kept. */
  'replace',
  /** Nothing is ingested. */
  'raise',
]);
export type ConflictPolicy = z.infer<typeof conflictPolicySchema>;

export const defaultConflictPolicy: ConflictPolicy = 'keep-both';

/** A new PDF and the other paper with its title. */
interface Conflict {
  readonly paper: StoredPaper;
  readonly holder: StoredPaper;
}

interface AddedPapers {
  readonly papers: readonly StoredPaper[];
  /** SHA-256 of the new PDFs that were left out. */
  readonly ignored: readonly string[];
  /** Empty unless the policy is `raise`; otherwise none of the added papers may be ingested. */
  readonly conflicts: readonly Conflict[];
}

/**
 * Adds papers to those of a store. The result does not depend on the order of the added ones: the first by SHA-256 takes the
 * id of its title, and the id of a later one with that title is made from its content too. A paper of the store keeps its id
 * as long as it keeps its title; if it is read again and has another one, it is never left out. A PDF that is imported, and
 * was read before, gets its imported id.
 * @param added - with the ids of their titles; may contain papers of the store that were read again
 */
export function addPapers(
  present: readonly StoredPaper[],
  added: readonly StoredPaper[],
  policy: ConflictPolicy,
): AddedPapers {
  const readAgain = new Map(added.map((paper) => [paper.sha256, paper]));
  const known = new Set(present.map(({ sha256 }) => sha256));
  const papers = new Map<string, StoredPaper>();
  const retitled: StoredPaper[] = [];
  for (const paper of present) {
    const read = readAgain.get(paper.sha256) ?? paper;
    const isImportedNow = read.imported !== undefined && paper.imported === undefined;
    if (read.title === paper.title && !isImportedNow) keep({ ...read, paperId: paper.paperId });
    else retitled.push(read);
  }
  retitled.sort(bySha256).forEach(keep);

  const replaceable = new Set(papers.values());
  const importedByTitle = new Map(
    [...papers.values()].flatMap((paper) => {
      const title = normalizeTitle(paper.title);
      return paper.imported === undefined || title === '' ? [] : [[title, paper] as const];
    }),
  );
  const ignored: string[] = [];
  const conflicts: Conflict[] = [];
  const fresh = [...readAgain.values()].filter(({ sha256 }) => !known.has(sha256));
  for (const paper of fresh.sort(bySha256)) {
    const ofTitle =
      paper.imported === undefined ? importedByTitle.get(normalizeTitle(paper.title)) : undefined;
    const holder = papers.get(paper.paperId) ?? ofTitle;
    if (holder === undefined || policy === 'keep-both') keep(paper);
    else if (policy === 'ignore') ignored.push(paper.sha256);
    else if (policy === 'raise') conflicts.push({ paper, holder });
    else if (replaceable.has(holder)) {
      if (holder.paperId !== paper.paperId) papers.delete(holder.paperId);
      papers.set(paper.paperId, paper);
    } else keep(paper);
  }
  return { papers: [...papers.values()], ignored, conflicts };

  function keep(paper: StoredPaper): void {
    const paperId = papers.has(paper.paperId) ? contentPaperId(paper) : paper.paperId;
    papers.set(paperId, { ...paper, paperId });
  }
}

const bySha256 = (a: StoredPaper, b: StoredPaper): number => (a.sha256 < b.sha256 ? -1 : 1);

/** Conflicts that a message names. */
const namedConflicts = 3;

/** One sentence, for the user. */
export function conflictMessage(conflicts: readonly Conflict[]): string {
  const named = conflicts
    .slice(0, namedConflicts)
    .map(
      ({ paper, holder }) => `${paper.file} has the title of ${holder.file} ('${holder.title}')`,
    );
  const more = conflicts.length - named.length;
  const all = [...named, ...(more > 0 ? [`and so on for ${more} more`] : [])];
  return `${all.join(', ')}; leave them out, or choose another policy than --on-conflict raise`;
}
