import type { Bm25 } from '../../domain/stores/bm25.js';
import type { FoundPaper, Gap, ImportSource } from '../../domain/stores/imports/import-papers.js';

/** Papers that another system has read. Throws PortFailure('UnreadableImport') with one sentence that names the flaw. */
export interface PaperImportsPort {
  /** The ids of all papers of a source, in a fixed order, and the rows that belong to none. */
  readonly papers: (
    source: ImportSource,
  ) => Promise<{ readonly papers: readonly string[]; readonly gaps: readonly Gap[] }>;
  /** What a source has of some papers, in their order. */
  readonly read: (
    source: ImportSource,
    papers: readonly string[],
  ) => Promise<readonly FoundPaper[]>;
  /** A fitted model in the format of a store. */
  readonly bm25: (path: string) => Promise<Bm25>;
}
