import { Context } from '@temporalio/activity';
import type { StoreName } from '../../domain/ids.js';
import {
  addPapers,
  conflictMessage,
  defaultConflictPolicy,
  type ConflictPolicy,
} from '../../domain/stores/add-papers.js';
import { newCorpus } from '../../domain/stores/bm25.js';
import { draftManifest, type Ingestion } from '../../domain/stores/ingestion.js';
import {
  bm25Collection,
  modalityOf,
  type StoredPaper,
  type StoreManifest,
} from '../../domain/stores/store-manifest.js';
import { reportingFailures } from '../failures.js';
import type { ClockPort } from '../ports/clock.js';
import type { PaperImportsPort } from '../ports/imports.js';
import type { EmbedderPort, EmbeddersPort } from '../ports/model.js';
import { PortFailure } from '../ports/port-failure.js';
import type { CollectionsPort, IngestionFilesPort, StoreWriterPort } from '../ports/stores.js';
import { requireReady } from './embedder.js';
import { givenModel } from './given-bm25.js';
import {
  rowsOfPapers,
  withPaperSource,
  type DerivedPaper,
  type SourcePorts,
} from './paper-source.js';

export interface BuildTablesInput {
  readonly store: StoreName;
  /** Whose papers are added. Null: the present papers are derived again, even if the store seems complete. */
  readonly ingestion: Ingestion | null;
  /** Of its texts, by its name in a manifest; of another one than before, all is embedded anew. */
  readonly embedder: string;
  /** @defaultValue `keep-both` */
  readonly onConflict?: ConflictPolicy;
  /** Without an ingestion: write nothing where the store is complete and would become the same. @defaultValue false */
  readonly ifChanged?: boolean;
}

/**
 * Writes the tables of the store's next generation, its present papers and the added ones, and its BM25 model. Fails with
 * `TitleConflict` by the policy `raise`.
 */
export function createBuildTables({
  clock,
  collections,
  embedders,
  imports,
  ingestionFiles,
  pictureEmbedder,
  storeWriter,
  ...sources
}: SourcePorts & {
  readonly clock: ClockPort;
  readonly collections: CollectionsPort;
  readonly embedders: EmbeddersPort;
  readonly imports: PaperImportsPort;
  readonly ingestionFiles: IngestionFilesPort;
  readonly pictureEmbedder: EmbedderPort | null;
  readonly storeWriter: StoreWriterPort;
}): (input: BuildTablesInput) => Promise<{
  /** `current`: the store in use already holds exactly these papers, complete and in the current format. */
  readonly kind: 'built' | 'current';
}> {
  return ({
    store,
    ingestion,
    embedder: wanted,
    onConflict = defaultConflictPolicy,
    ifChanged = false,
  }) =>
    reportingFailures(() => {
      const rebuild = ingestion === null;
      return withPaperSource(sources, store, rebuild, async (source, signal) => {
        const previous = await storeWriter.manifest(store);
        const oldDraft = await storeWriter.draft(store);
        requirePapers(previous);
        if (rebuild && previous !== null) {
          requireSamePictures(previous, pictureEmbedder);
        }
        const present = previous?.papers ?? [];
        const embedder = embedders(wanted);
        const newPapers: StoredPaper[] = [];
        for (const paper of rebuild ? present : []) {
          const { stored } = await source(paper);
          const isRetitled = stored.title !== paper.title;
          // With the id of its own title.
          newPapers.push(isRetitled ? (await source({ sha256: paper.sha256 })).stored : stored);
        }
        const added = new Set<string>();
        for (const { sha256 } of rebuild ? [] : (await ingestionFiles.progress(ingestion)).read) {
          signal.throwIfAborted();
          newPapers.push((await source({ sha256 })).stored);
          added.add(sha256);
        }
        const { papers, ignored, conflicts } = addPapers(present, newPapers, onConflict);
        if (conflicts.length > 0) {
          throw new PortFailure('TitleConflict', conflictMessage(conflicts));
        }
        if (!rebuild) await ingestionFiles.saveIgnored(ingestion, ignored);
        const { contents } = sources;
        const given = await givenModel({ contents, imports }, previous, papers, ingestion);
        const built = {
          key: oldDraft?.key ?? newKey(),
          embedders: [bm25Collection.embedder, ...namesOf([embedder, pictureEmbedder])],
          builtAt: clock.now(),
          givenBm25: given?.sha256,
        };
        const draft = draftManifest(store, previous, papers, built);
        // A paper that is read again had lost its text, and maybe its rows.
        const isAnew = (rebuild && !ifChanged) || present.some(({ sha256 }) => added.has(sha256));
        const current =
          papers.length === 0 ||
          (!isAnew &&
            previous?.fingerprint === draft.fingerprint &&
            oldDraft === null &&
            (await storeWriter.isWhole(previous)) &&
            (await collections.exist(previous)));
        if (current) return { kind: 'current' };
        // Before new papers were read, it was asked.
        if (added.size === 0) await requireReady(embedder, signal);
        const derived = new Map<string, StoredPaper>();
        const corpus = newCorpus();
        const tables = await storeWriter.writeTables(
          store,
          rowsOnly(rowsOfPapers(source, papers, signal), ({ stored, rows }) => {
            derived.set(stored.sha256, stored);
            if (given !== null) return;
            for (const { page_content } of rows.pages) corpus.add(page_content ?? '');
          }),
        );
        // A paper that was in the store may have been enriched since. Its id stays.
        const written = papers.map((paper) => ({
          ...(derived.get(paper.sha256) ?? paper),
          paperId: paper.paperId,
        }));
        const bm25 = await storeWriter.writeBm25(store, given?.model ?? corpus.fit());
        await storeWriter.writeDraft({
          ...draftManifest(store, previous, written, built),
          files: { tables, bm25 },
        });
        return { kind: 'built' };
      });
    });
}

/**
 * The same in every attempt, so that a failed attempt leaves no collections behind. Every version of Temporal's run ids
 * ends in random digits.
 */
export function newKey(): string {
  const { workflowExecution } = Context.current().info;
  if (workflowExecution === undefined) throw new Error('Stores are built by workflows.');
  return workflowExecution.runId.replaceAll('-', '').slice(-12);
}

/** @param onPaper - called with each paper as it is written */
async function* rowsOnly(
  papers: AsyncIterable<DerivedPaper>,
  onPaper: (paper: DerivedPaper) => void,
): AsyncGenerator<DerivedPaper['rows']> {
  for await (const paper of papers) {
    onPaper(paper);
    yield paper.rows;
  }
}

function requirePapers(store: StoreManifest | null): void {
  if (store?.database === undefined) return;
  throw new PortFailure(
    'UnreadableImport',
    `Store ${store.name} holds a database: papers need a store of their own.`,
  );
}

const namesOf = (embedders: readonly (EmbedderPort | null)[]): readonly string[] =>
  embedders.flatMap((embedder) => embedder?.name ?? []);

/** Vectors of pictures by another embedder would make another store of it, over which its runs cannot go on. */
export function requireSamePictures(
  { name, collections }: StoreManifest,
  pictureEmbedder: EmbedderPort | null,
): void {
  const built = collections.find((collection) => modalityOf(collection.name) === 'image')?.embedder;
  if (collections.length === 0 || built === pictureEmbedder?.name) return;
  throw new PortFailure(
    'StoreMissing',
    `Store ${name} has vectors of ${built ?? 'no'} pictures, and the worker embeds ${pictureEmbedder === null ? 'none' : `with ${pictureEmbedder.name}`}: set TURNWISE_PICTURE_EMBEDDER to what the store was built with.`,
  );
}
