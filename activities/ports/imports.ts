import type { Bm25 } from '../../domain/stores/bm25.js';
import type { FoundPaper, Gap, Ingestion } from '../../domain/stores/ingestion.js';

/**
 * Papers that another system has read, as they were given to an ingestion. Throws PortFailure('UnreadableImport') with one
 * sentence that names the flaw.
 */
export interface PaperImportsPort {
  /** The ids of all papers, in a fixed order, and the rows that belong to none. */
  readonly papers: (
    ingestion: Ingestion,
  ) => Promise<{ readonly papers: readonly string[]; readonly gaps: readonly Gap[] }>;
  /** What there is of some papers, in their order. */
  readonly read: (
    ingestion: Ingestion,
    papers: readonly string[],
  ) => Promise<readonly FoundPaper[]>;
  /** A fitted model in the format of a store; null where none was given. */
  readonly bm25: (ingestion: Ingestion) => Promise<Bm25 | null>;
}
