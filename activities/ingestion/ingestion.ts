import type { ClockPort } from '../ports/clock.js';
import type { EnrichmentPort } from '../ports/enrichment.js';
import type { PaperImportsPort } from '../ports/imports.js';
import type { EmbeddersPort, PictureEmbedderPort } from '../ports/model.js';
import type {
  StoreContentsPort,
  StoredDatabasesPort,
  StoredVectorsPort,
} from '../ports/store-contents.js';
import type {
  CollectionsPort,
  IngestionFilesPort,
  PaperFilesPort,
  PaperParsersPort,
  PdfPort,
  StoreWriterPort,
} from '../ports/stores.js';
import type { PicturesPort } from '../ports/tools.js';
import { createBuildCollections } from './build-collections.js';
import { createBuildTables } from './build-tables.js';
import { createCheckStore } from './check-store.js';
import { createDropStore, createRemoveLeftovers } from './drop-store.js';
import { createCopyDatabase } from './import-database.js';
import { createImportPapers, createPlanImport } from './import-papers.js';
import { createPlanIngestion, createPublishStore, createSaveFailures } from './plan-ingestion.js';
import { createReadPaper } from './read-paper.js';
import { createRestorePapers } from './restore-papers.js';

export interface IngestionPorts {
  readonly clock: ClockPort;
  readonly collections: CollectionsPort;
  readonly contents: StoreContentsPort;
  readonly enrichment: EnrichmentPort;
  readonly embedders: EmbeddersPort;
  readonly imports: PaperImportsPort;
  readonly ingestionFiles: IngestionFilesPort;
  readonly paperFiles: PaperFilesPort;
  readonly paperParsers: PaperParsersPort;
  readonly pdf: PdfPort;
  /** Null: stores have no collection of pictures. */
  readonly pictureEmbedder: PictureEmbedderPort | null;
  readonly pictures: PicturesPort;
  readonly storedDatabases: StoredDatabasesPort;
  readonly storeWriter: StoreWriterPort;
  readonly vectors: StoredVectorsPort;
}

/** The activities that build, check and remove stores, by their registered names. */
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- the names and types of the activities are listed once
export const createIngestionActivities = (ports: IngestionPorts) => ({
  planIngestion: createPlanIngestion(ports),
  readPaper: createReadPaper(ports),
  saveFailures: createSaveFailures(ports),
  planImport: createPlanImport(ports),
  importPapers: createImportPapers(ports),
  buildTables: createBuildTables(ports),
  copyDatabase: createCopyDatabase(ports),
  buildCollections: createBuildCollections(ports),
  publishStore: createPublishStore(ports),
  checkStore: createCheckStore(ports),
  restorePapers: createRestorePapers(ports),
  removeLeftovers: createRemoveLeftovers(ports),
  dropStore: createDropStore(ports),
});
export type IngestionActivities = Readonly<ReturnType<typeof createIngestionActivities>>;
