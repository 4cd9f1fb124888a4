import type { StoreName } from '../ids.js';

/** Names inside TURNWISE_HOME. Worker and client find a store's files by these alone. */
export const storesFolder = 'stores';

export const storeFolder = (store: StoreName): string => `${storesFolder}/${store}`;

export const storeManifestFile = 'store.json';

export const databaseFile = (store: StoreName): string => `${store}.duckdb`;

/** The fitted BM25 model. One per generation, since the vectors of a generation are read by its own model only. */
export const bm25File = (generation: number): string => `bm25.${generation}.json`;

/** What a PDF was found to hold, so that it is read only once. */
export const keptPaperFile = (sha256: string): string => `papers/${sha256}.json`;

/** The PDF itself: pages are drawn from it. */
export const keptPdfFile = (sha256: string): string => `papers/${sha256}.pdf`;

/** Of the generation being built: moved to their places when all of it is there. */
export const draftManifestFile = 'store.draft.json';
export const draftDatabaseFile = (store: StoreName): string => `${store}.draft.duckdb`;
