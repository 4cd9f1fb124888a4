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
  /** A store that was built with another embedder is built anew when papers are added to it. */
  readonly embedder: EmbedderPort;
  readonly paperFiles: PaperFilesPort;
  readonly pdf: PdfPort;
  readonly storeWriter: StoreWriterPort;
}

/** The activities of an ingestion by their registered names. */
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- the names and types of the activities are listed once
export const createIngestionActivities = (ports: IngestionPorts) => ({
  planIngestion: createPlanIngestion(ports),
  readPaper: createReadPaper(ports),
  buildTables: createBuildTables(ports),
  buildCollections: createBuildCollections(ports),
  publishStore: createPublishStore(ports),
});
export type IngestionActivities = Readonly<ReturnType<typeof createIngestionActivities>>;
