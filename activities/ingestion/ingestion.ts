import type { ClockPort } from '../ports/clock.js';
import type { EmbedderPort } from '../ports/model.js';
import type { CollectionsPort, PaperFilesPort, PdfPort, StoreWriterPort } from '../ports/stores.js';
import { createBuildCollections } from './build-collections.js';
import { createBuildTables } from './build-tables.js';
import { createPlanIngestion, createPublishStore } from './plan-ingestion.js';
import { createReadPaper } from './read-paper.js';

export interface IngestionPorts {
  readonly clock: ClockPort;
  readonly collections: CollectionsPort;
  /** Of every store that is built from now on: one built with another is built anew when papers are ingested into it. */
  readonly embedder: EmbedderPort;
  readonly paperFiles: PaperFilesPort;
  readonly pdf: PdfPort;
  readonly storeWriter: StoreWriterPort;
}

export interface IngestionActivities {
  readonly planIngestion: ReturnType<typeof createPlanIngestion>;
  readonly readPaper: ReturnType<typeof createReadPaper>;
  readonly buildTables: ReturnType<typeof createBuildTables>;
  readonly buildCollections: ReturnType<typeof createBuildCollections>;
  readonly publishStore: ReturnType<typeof createPublishStore>;
}

/** The activities of an ingestion by their registered names. */
export function createIngestionActivities(ports: IngestionPorts): IngestionActivities {
  return {
    planIngestion: createPlanIngestion(ports),
    readPaper: createReadPaper(ports),
    buildTables: createBuildTables(ports),
    buildCollections: createBuildCollections(ports),
    publishStore: createPublishStore(ports),
  };
}
