import { Context } from '@temporalio/activity';
import type { StoreName } from '../../domain/ids.js';
import { addPapers, conflictMessage, type ConflictPolicy } from '../../domain/stores/add-papers.js';
import { draftManifest } from '../../domain/stores/ingestion.js';
import { paperRows } from '../../domain/stores/paper-rows.js';
import type { PaperRows } from '../../domain/stores/paper-tables.js';
import { bm25Collection, type StoredPaper } from '../../domain/stores/store-manifest.js';
import { reportingFailures, whileHeartbeating } from '../failures.js';
import type { ClockPort } from '../ports/clock.js';
import type { EmbedderPort } from '../ports/model.js';
import { PortFailure } from '../ports/port-failure.js';
import type { CollectionsPort, PaperFilesPort, StoreWriterPort } from '../ports/stores.js';

export interface BuiltTables {
  /** `current`: the store in use already holds exactly these papers, complete and in the current format. */
  readonly kind: 'built' | 'current';
  /** SHA-256 of added PDFs that were left out, because a paper has their title. */
  readonly ignored: readonly string[];
}

/**
 * Writes the tables of the store's next generation: its present papers and the added ones. Fails with `TitleConflict` by the
 * policy `raise`.
 */
export function createBuildTables({
  clock,
  collections,
  embedder,
  paperFiles,
  storeWriter,
}: {
  readonly clock: ClockPort;
  readonly collections: CollectionsPort;
  readonly embedder: EmbedderPort;
  readonly paperFiles: PaperFilesPort;
  readonly storeWriter: StoreWriterPort;
}): (input: {
  readonly store: StoreName;
  /** SHA-256 of PDFs that have been read. */
  readonly added: readonly string[];
  readonly onConflict: ConflictPolicy;
}) => Promise<BuiltTables> {
  return ({ store, added, onConflict }) =>
    reportingFailures(() =>
      whileHeartbeating(async (signal) => {
        const previous = await storeWriter.manifest(store);
        const oldDraft = await storeWriter.draft(store);
        const newPapers: StoredPaper[] = [];
        for (const sha256 of added) {
          newPapers.push((await rowsOfPaper(paperFiles, store, sha256)).stored);
        }
        const present = previous?.papers ?? [];
        const { papers, ignored, conflicts } = addPapers(present, newPapers, onConflict);
        if (conflicts.length > 0)
          throw new PortFailure('TitleConflict', conflictMessage(conflicts));
        const draft = draftManifest(store, previous, papers, {
          key: oldDraft?.key ?? newKey(),
          embedders: [bm25Collection.embedder, embedder.name],
          builtAt: clock.now(),
        });
        // An interrupted publication may have put the draft's tables into use, but not yet its manifest.
        const current =
          papers.length === 0 ||
          (previous?.fingerprint === draft.fingerprint &&
            oldDraft === null &&
            (await storeWriter.isWhole(previous)) &&
            (await collections.exist(previous)));
        if (current) return { kind: 'current', ignored };
        await storeWriter.writeTables(
          store,
          rowsOnly(rowsOfPapers(paperFiles, store, papers, signal)),
        );
        await storeWriter.writeDraft(draft);
        return { kind: 'built', ignored };
      }),
    );
}

/**
 * The same in every attempt, so that a failed attempt leaves no collections behind. Every version of Temporal's run ids
 * ends in random digits.
 */
function newKey(): string {
  const { workflowExecution } = Context.current().info;
  if (workflowExecution === undefined) throw new Error('Stores are built by workflows.');
  return workflowExecution.runId.replaceAll('-', '').slice(-12);
}

async function* rowsOnly<T>(papers: AsyncIterable<{ readonly rows: T }>): AsyncGenerator<T> {
  for await (const { rows } of papers) yield rows;
}

export interface DerivedPaper {
  readonly stored: StoredPaper;
  readonly rows: PaperRows;
}

/**
 * The rows of a paper whose text is kept. Throws PortFailure('StoreMissing') if nothing is kept of it.
 * @param as - its id in the store. @defaultValue the id of its title
 */
async function rowsOfPaper(
  paperFiles: PaperFilesPort,
  store: StoreName,
  sha256: string,
  as?: string,
): Promise<DerivedPaper> {
  const kept = await paperFiles.kept(store, sha256);
  if (kept === null) {
    throw new PortFailure(
      'StoreMissing',
      `Store ${store} has lost what it read from the PDF with SHA-256 ${sha256}: ingest that PDF again.`,
    );
  }
  const rows = paperRows(kept, as);
  const [metadata] = rows.metadata;
  if (!metadata?.paper_id) throw new Error(`${kept.file} became rows without metadata.`);
  const { paper_id: paperId, title } = metadata;
  return {
    stored: { paperId, title: title ?? '', file: kept.file, sha256, pages: rows.pages.length },
    rows,
  };
}

/** Holds one paper in memory at a time. */
export async function* rowsOfPapers(
  paperFiles: PaperFilesPort,
  store: StoreName,
  papers: readonly StoredPaper[],
  signal: AbortSignal,
): AsyncGenerator<DerivedPaper> {
  for (const { sha256, paperId } of papers) {
    signal.throwIfAborted();
    yield await rowsOfPaper(paperFiles, store, sha256, paperId);
  }
}
