import type { ClockPort } from '../ports/clock.js';
import type { EmbedderPort, PictureEmbedderPort } from '../ports/model.js';
import type { StoreContentsPort, StoredVectorsPort } from '../ports/store-contents.js';
import type {
  CollectionsPort,
  IngestionFilesPort,
  PaperFilesPort,
  PdfPort,
  StoreWriterPort,
} from '../ports/stores.js';
import type { PicturesPort } from '../ports/tools.js';
import { createBuildCollections } from './build-collections.js';
import { createBuildTables } from './build-tables.js';
import { createCheckStore } from './check-store.js';
import { createDropStore, createRemoveLeftovers } from './drop-store.js';
import {
  createDiscardPapers,
  createPlanIngestion,
  createPublishStore,
  createSaveFailures,
} from './plan-ingestion.js';
import { createReadPaper } from './read-paper.js';
import { createRestorePapers } from './restore-papers.js';

export interface IngestionPorts {
  readonly clock: ClockPort;
  readonly collections: CollectionsPort;
  readonly contents: StoreContentsPort;
  /** A store that was built with another embedder is built anew when papers are added to it. */
  readonly embedder: EmbedderPort;
  readonly ingestionFiles: IngestionFilesPort;
  readonly paperFiles: PaperFilesPort;
  readonly pdf: PdfPort;
  /** Null: stores have no collection of pictures. */
  readonly pictureEmbedder: PictureEmbedderPort | null;
  readonly pictures: PicturesPort;
  readonly storeWriter: StoreWriterPort;
  readonly vectors: StoredVectorsPort;
}

/** The activities that build, check and remove stores, by their registered names. */
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- the names and types of the activities are listed once
export const createIngestionActivities = (ports: IngestionPorts) => ({
  planIngestion: createPlanIngestion(ports),
  readPaper: createReadPaper(ports),
  saveFailures: createSaveFailures(ports),
  buildTables: createBuildTables(ports),
  buildCollections: createBuildCollections(ports),
  publishStore: createPublishStore(ports),
  discardPapers: createDiscardPapers(ports),
  checkStore: createCheckStore(ports),
  restorePapers: createRestorePapers(ports),
  removeLeftovers: createRemoveLeftovers(ports),
  dropStore: createDropStore(ports),
});
export type IngestionActivities = Readonly<ReturnType<typeof createIngestionActivities>>;
