import type { StoreName } from '../../domain/ids.js';
import { bm25Encoder, newCorpus, type Bm25, type Corpus } from '../../domain/stores/bm25.js';
import {
  comparePaper,
  compareRows,
  countRows,
  isSameBm25,
  noRows,
  newFindings,
  type Findings,
  type StoreCheck,
} from '../../domain/stores/store-check.js';
import {
  bm25File,
  databaseFile,
  type StoredPaper,
  type StoreManifest,
} from '../../domain/stores/store-manifest.js';
import { reportingFailures, whileHeartbeating } from '../failures.js';
import type { EnrichmentPort } from '../ports/enrichment.js';
import { PortFailure } from '../ports/port-failure.js';
import type {
  StoreContentsPort,
  StoredDatabasesPort,
  StoredTables,
  StoredVectorsPort,
} from '../ports/store-contents.js';
import type { CollectionsPort, PaperFilesPort, StoreWriterPort } from '../ports/stores.js';
import {
  compareCollections,
  compareVectors,
  countVectors,
  heldVectors,
} from './check-collections.js';
import { checkDatabase } from './check-database.js';
import { bm25Sha256 } from './given-bm25.js';
import { derivedPaper, knownPaper, type DerivedPaper } from './paper-source.js';
import { isPdf } from './restore-papers.js';

interface CheckingPorts {
  readonly collections: CollectionsPort;
  readonly contents: StoreContentsPort;
  readonly enrichment: EnrichmentPort;
  readonly paperFiles: PaperFilesPort;
  readonly storedDatabases: StoredDatabasesPort;
  readonly storeWriter: StoreWriterPort;
  readonly vectors: StoredVectorsPort;
}

/** Papers that are in memory at a time. A query for few papers takes Milvus Lite as long as one for many. */
const batchSize = 100;

/** Compares the kept texts, the tables, the collections, the BM25 model and the manifest of a store. Changes nothing. */
export function createCheckStore(
  ports: CheckingPorts,
): (input: { readonly store: StoreName }) => Promise<StoreCheck> {
  return ({ store }) =>
    reportingFailures(() =>
      whileHeartbeating(async (signal) => {
        const manifest = await ports.storeWriter.manifest(store);
        if (manifest === null) {
          throw new PortFailure('StoreMissing', `There is no store ${store}.`);
        }
        const findings = newFindings();
        if (manifest.database !== undefined) {
          return checkDatabase({ ...ports, manifest, findings, signal }, manifest.database);
        }
        const opened = await ports.contents.tables(store);
        const tables = 'rows' in opened ? opened : null;
        if ('unreadable' in opened) {
          findings.add('tables-lost', databaseFile(store), null, opened.unreadable);
        }
        try {
          return await check({ ...ports, manifest, tables, findings, signal });
        } finally {
          tables?.close();
        }
      }),
    );
}

interface Check extends CheckingPorts {
  readonly manifest: StoreManifest;
  /** Null where they cannot be read. */
  readonly tables: StoredTables | null;
  readonly findings: Findings;
  readonly signal: AbortSignal;
}

async function check(context: Check): Promise<StoreCheck> {
  const { contents, findings, manifest, signal } = context;
  const collections = await compareCollections(context);
  const counted = new Map(collections.map((collection) => [collection, 0]));
  const model = await contents.bm25(manifest);
  // Without the model nobody knows which texts had a term.
  const encoder = model && bm25Encoder(model);
  const hasTerms = (text: string): boolean => (encoder?.document(text).size ?? 0) > 0;
  const corpus = newCorpus();
  let rows = 0;

  for (let start = 0; start < manifest.papers.length; start += batchSize) {
    signal.throwIfAborted();
    const batch = manifest.papers.slice(start, start + batchSize);
    const ids = batch.map(({ paperId }) => paperId);
    const stored = await fromTables(context, (tables) => tables.rows(ids));
    const held = await heldVectors(context, collections, ids);
    for (const [collection, refs] of held) {
      counted.set(collection, (counted.get(collection) ?? 0) + refs.length);
    }
    for (const paper of batch) {
      const kept = await derivedFromKept(context, paper);
      const derived = kept?.rows ?? null;
      const inTables = stored?.get(paper.paperId) ?? noRows;
      if (kept !== null) {
        comparePaper(paper, kept.stored, findings);
        if (stored !== null) compareRows(paper, kept.rows, inTables, findings);
      }
      const present = stored === null ? (derived ?? noRows) : inTables;
      rows += countRows(present);
      for (const { page_content } of (derived ?? present).pages) corpus.add(page_content ?? '');
      compareVectors(context, paper, present, held, hasTerms);
    }
  }

  const all = manifest.papers.map(({ paperId }) => paperId);
  const others = (await fromTables(context, (tables) => tables.others(all))) ?? [];
  for (const { table, count, example } of others) {
    findings.add('rows-extra', table, null, example, count);
  }
  let vectors = 0;
  for (const [collection, seen] of counted) {
    vectors += await countVectors(context, collection, seen);
  }
  const modelFile = bm25File;
  if (model === null) findings.add('bm25-lost', modelFile, null, modelFile);
  else if (!(await isModelOf(manifest, model, corpus))) {
    findings.add('bm25-changed', modelFile, null, `fitted to ${model.corpus_size} pages`);
  }
  const papers = manifest.papers.length;
  return { database: null, papers, rows, vectors, findings: findings.list() };
}

/** @param corpus - of the pages of the store */
const isModelOf = async (
  { givenBm25 }: StoreManifest,
  model: Bm25,
  corpus: Corpus,
): Promise<boolean> =>
  givenBm25 === undefined
    ? isSameBm25(model, corpus.fit())
    : givenBm25 === (await bm25Sha256(model));

/** Null where the tables cannot be read. */
async function fromTables<T>(
  { findings, manifest, tables }: Check,
  read: (tables: StoredTables) => Promise<T>,
): Promise<T | null> {
  if (tables === null || findings.has('tables-lost')) return null;
  try {
    return await read(tables);
  } catch (error) {
    if (!(error instanceof PortFailure)) throw error;
    findings.add('tables-lost', databaseFile(manifest.name), null, error.message);
    return null;
  }
}

/** What is kept of a paper, and the rows it becomes; null where it is lost. */
async function derivedFromKept(
  { enrichment, findings, manifest, paperFiles }: Check,
  paper: StoredPaper,
): Promise<DerivedPaper | null> {
  const { sha256 } = paper;
  const known = await knownPaper({ enrichment, paperFiles }, manifest.name, sha256);
  if (known === null) findings.add('text-lost', 'papers', paper, `${sha256}.json`);
  if (paper.imported?.hasPdf !== false) {
    const copy = await paperFiles.pdf(manifest.name, sha256);
    if (copy === null) findings.add('pdf-lost', 'papers', paper, `${sha256}.pdf`);
    else if (!(await isPdf(paperFiles, copy, sha256))) {
      findings.add('pdf-changed', 'papers', paper, `${sha256}.pdf`);
    }
  }
  return known && derivedPaper(known, paper);
}
