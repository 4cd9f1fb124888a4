import type { PaperText } from '../../domain/agent/question-context.js';
import type { StoreName } from '../../domain/ids.js';
import type { Bm25, SparseVector } from '../../domain/stores/bm25.js';
import type { PageSize, PaperParts } from '../../domain/extraction/parsers/paper-parts.js';
import type { DatabaseRef, DescribedDatabase } from '../../domain/stores/database.js';
import type { CellPlace } from '../../domain/stores/database-schema.js';
import type { FileContent } from '../../domain/file-content.js';
import type { KeptPaper, PaperRows } from '../../domain/stores/paper-tables.js';
import type { Parser, ParserSource } from '../../domain/stores/paper-parsers.js';
import type { Paper } from '../../domain/extraction/paper.js';
import type {
  FailedFile,
  GivenFile,
  Ingestion,
  IngestionPlan,
  IngestionProgress,
} from '../../domain/stores/ingestion.js';
import type { Collection, Generation, StoreManifest } from '../../domain/stores/store-manifest.js';

export interface StoresPort {
  /** Whether a generation of a store has these contents. Throws PortFailure('StoreMissing') where there is no store. */
  readonly holds: (store: StoreName, fingerprint: string) => Promise<boolean>;
}

/** Stores and imported databases. */
export interface DatabasesPort {
  /** The tables of a database. Throws PortFailure('StoreMissing'). */
  readonly description: (database: DatabaseRef) => Promise<DescribedDatabase>;
}

/**
 * The generations of a store. The next one is written as a draft, and files that it names. Every call may be repeated. Throws
 * PortFailure('StoreMissing') if a manifest is damaged.
 */
export interface StoreWriterPort {
  /** Of the generation in use; null if the store has none yet. */
  readonly manifest: (store: StoreName) => Promise<StoreManifest | null>;
  /** Whether the files of this generation exist. */
  readonly isWhole: (manifest: StoreManifest) => Promise<boolean>;
  /** The draft's manifest; null if there is no draft. */
  readonly draft: (store: StoreName) => Promise<StoreManifest | null>;
  readonly writeDraft: (draft: StoreManifest) => Promise<void>;
  readonly writeTables: (
    store: StoreName,
    papers: AsyncIterable<PaperRows>,
  ) => Promise<FileContent>;
  readonly writeBm25: (store: StoreName, model: Bm25) => Promise<FileContent>;
  /** Puts the draft into use, in one step. */
  readonly publish: (draft: StoreManifest) => Promise<void>;
}

export type CollectionShape = Omit<Collection, 'rows'>;

/** A cell and its vector, or that of one of its parts. */
export interface Entry {
  readonly paperId: string;
  /** With the box of a picture. */
  readonly cell: CellPlace & { readonly box?: readonly number[] };
  readonly vector: SparseVector | readonly number[];
}

/** The collections of a store's generations in the vectorstore. Throws PortFailure('StoreUnavailable'). */
export interface CollectionsPort {
  /** Makes an empty collection, in place of one of the same name. */
  readonly create: (generation: Generation, shape: CollectionShape) => Promise<void>;
  readonly insert: (
    generation: Generation,
    collection: string,
    entries: readonly Entry[],
  ) => Promise<void>;
  /** Makes the inserted entries durable and searchable. */
  readonly finish: (generation: Generation, collection: string) => Promise<void>;
  /** Whether all collections of a manifest exist. */
  readonly exist: (manifest: StoreManifest) => Promise<boolean>;
  /** The names in Milvus of the collections of all generations. */
  readonly list: (store: Pick<Generation, 'name' | 'key'>) => Promise<readonly string[]>;
  /** @param collection - its name in Milvus */
  readonly drop: (collection: string) => Promise<void>;
  /** Removes the collections of all other generations of the store. @param kept - of one store, at least one */
  readonly dropOthers: (kept: readonly Generation[]) => Promise<void>;
}

/** PDFs as files, and the texts read from them. */
export interface PaperFilesPort {
  /** SHA-256 of a file, in hex. Throws PortFailure('UnreadablePdf') if it cannot be opened. */
  readonly fingerprint: (path: string) => Promise<string>;
  /** Null if the PDF has neither been read by this version of the extraction nor imported. */
  readonly kept: (store: StoreName, sha256: string) => Promise<KeptPaper | null>;
  /** @param pdf - the path of the PDF, of which a copy is kept; null where there is none, or where the store has a copy */
  readonly keep: (store: StoreName, paper: KeptPaper, pdf: string | null) => Promise<void>;
  /** The path of a store's copy of a PDF on this machine; null if there is none, or if it is damaged. */
  readonly pdf: (store: StoreName, sha256: string) => Promise<string | null>;
  /** The path on this machine beside which the files of parsers are that lay beside a PDF; null if there were none. */
  readonly beside: (store: StoreName, sha256: string) => Promise<string | null>;
  /** Removes a PDF that cannot be read, with the files beside it. */
  readonly discard: (store: StoreName, sha256: string) => Promise<void>;
}

/**
 * What an ingestion is given and what it comes to, in files of its folder: the client writes the first, the worker the
 * others. Every call may be repeated. Throws PortFailure('IngestionLost') where a file is missing or damaged.
 */
export interface IngestionFilesPort {
  /**
   * Writes the lists of its PDFs, puts the PDFs into the storage, and resolves to the number of pages. Pages are counted from
   * 1. @param files - absolute paths on this machine
   */
  readonly create: (ingestion: Ingestion, files: readonly string[]) => Promise<number>;
  readonly files: (ingestion: Ingestion, page: number) => Promise<readonly GivenFile[]>;
  readonly savePlan: (ingestion: Ingestion, page: number, plan: IngestionPlan) => Promise<void>;
  readonly saveFailures: (
    ingestion: Ingestion,
    page: number,
    failed: readonly FailedFile[],
  ) => Promise<void>;
  /** Which PDFs, by their SHA-256, are left out because a paper has their title. */
  readonly saveIgnored: (ingestion: Ingestion, ignored: readonly string[]) => Promise<void>;
  /** Of all pages, when they have been read. */
  readonly progress: (ingestion: Ingestion) => Promise<IngestionProgress>;
  /** Empty before it is known. */
  readonly ignored: (ingestion: Ingestion) => Promise<readonly string[]>;
  /** Removes its folder, and that of the store if nothing else is in it. */
  readonly remove: (ingestion: Ingestion) => Promise<void>;
}

interface PapersOfStore {
  readonly store: StoreName;
  /** Of the generation. @defaultValue the one in use */
  readonly fingerprint?: string;
  readonly papers: readonly string[];
}

/** The papers of a store. Throws PortFailure if the store cannot be read. */
export interface PaperTextsPort {
  /** By paper id, without the papers that the store does not hold. */
  readonly titles: (
    request: PapersOfStore,
    signal: AbortSignal,
  ) => Promise<ReadonlyMap<string, string>>;
  /** In the order of `papers`, without those that the store does not hold. NULL becomes an empty text. */
  readonly texts: (request: PapersOfStore, signal: AbortSignal) => Promise<readonly PaperText[]>;
}

export interface PdfReading {
  /** What it is called in messages. @defaultValue the name of the file */
  readonly name?: string;
  /** Whether a PDF without any text that can be used is read like others. @defaultValue false */
  readonly keepsScans?: boolean;
}

export interface PdfPort {
  /**
   * Throws PortFailure('UnreadablePdf') with one sentence that names the file and its defect.
   */
  readonly read: (path: string, signal: AbortSignal, how?: PdfReading) => Promise<Paper>;
}

/** Other parsers of papers: their servers, and their files beside PDFs. */
export interface PaperParsersPort {
  /**
   * What there is to be read of a PDF, in the order in which it counts: the later one wins.
   * Throws PortFailure('ParserMissing') for a parser that is asked for and has no address.
   * @param wanted - a parser whose files do not lie beside the PDF, and that has no server, is left out. @defaultValue those
   * whose files lie beside the PDF
   */
  readonly find: (pdf: string, wanted?: readonly Parser[]) => Promise<readonly ParserSource[]>;
  /**
   * Throws PortFailure('ParserUnavailable') or PortFailure('ParserFailed') with one sentence that names the PDF.
   * @param pdf - names the PDF, and is where files lie beside it
   * @param pages - of the PDF
   * @param path - where its bytes are. @defaultValue `pdf`
   */
  readonly read: (
    source: ParserSource,
    pdf: string,
    pages: readonly PageSize[],
    signal: AbortSignal,
    path?: string,
  ) => Promise<PaperParts>;
}
