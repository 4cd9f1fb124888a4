import type { EnrichmentId, EnrichmentJob, EnrichmentRecord } from '../../domain/enrichment/job.js';
import type { StoreName } from '../../domain/ids.js';

/** What models are asked about the papers of stores, and their replies. Throws PortFailure. */
export interface EnrichmentPort {
  readonly job: (store: StoreName, id: EnrichmentId) => Promise<EnrichmentJob>;
  /** About a paper, in no particular order. A damaged one is left out. */
  readonly records: (store: StoreName, sha256: string) => Promise<readonly EnrichmentRecord[]>;
  /** Keeps the first record of a question, unless that is damaged, and resolves to the record that is stored. */
  readonly save: (
    store: StoreName,
    sha256: string,
    record: EnrichmentRecord,
  ) => Promise<EnrichmentRecord>;
}
