import { Context } from '@temporalio/activity';
import { addPapers, draftManifest, type RefusedPaper } from '../domain/stores/ingestion.js';
import type { StoreName } from '../domain/ids.js';
import { bm25Collection } from '../domain/stores/store-manifest.js';
import type { StoredPaper } from '../domain/stores/store-manifest.js';
import { reportingFailures } from './failures.js';
import { whileHeartbeating } from './heartbeat.js';
import type { ClockPort } from './ports/clock.js';
import type { CollectionsPort } from './ports/collections.js';
import type { EmbedderPort } from './ports/embedder.js';
import type { PaperFilesPort } from './ports/paper-files.js';
import type { StoreWriterPort } from './ports/store-writer.js';
import { rowsOfPaper, rowsOfPapers } from './rows-of-papers.js';

export interface BuiltTables {
  /** `current`: the store in use holds just these papers already, whole and in this form. */
  readonly kind: 'built' | 'current';
  readonly refused: readonly RefusedPaper[];
}

/** Drafts the next generation's tables: the store's papers and those added. */
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
}) => Promise<BuiltTables> {
  return ({ store, added }) =>
    reportingFailures(() =>
      whileHeartbeating(async (signal) => {
        const previous = await storeWriter.manifest(store);
        const left = await storeWriter.draft(store);
        const newcomers: StoredPaper[] = [];
        for (const sha256 of added) {
          newcomers.push((await rowsOfPaper(paperFiles, store, sha256)).stored);
        }
        const { papers, refused } = addPapers(previous?.papers ?? [], newcomers);
        const draft = draftManifest(store, previous, papers, {
          key: left?.key ?? newKey(),
          embedders: [bm25Collection.embedder, embedder.name],
          builtAt: clock.now(),
        });
        // A draft that was left behind may have been half in use already: its tables before its manifest.
        const current =
          papers.length === 0 ||
          (previous?.fingerprint === draft.fingerprint &&
            left === null &&
            (await storeWriter.isWhole(previous)) &&
            (await collections.exist(previous)));
        if (current) return { kind: 'current', refused };
        await storeWriter.writeTables(
          store,
          rowsOnly(rowsOfPapers(paperFiles, store, papers, signal)),
        );
        await storeWriter.writeDraft(draft);
        return { kind: 'built', refused };
      }),
    );
}

/** The same in every attempt, so that none leaves collections behind. The end of a run id is random in all its versions. */
function newKey(): string {
  const { workflowExecution } = Context.current().info;
  if (workflowExecution === undefined) throw new Error('Stores are built by workflows.');
  return workflowExecution.runId.replaceAll('-', '').slice(-12);
}

async function* rowsOnly<T>(papers: AsyncIterable<{ readonly rows: T }>): AsyncGenerator<T> {
  for await (const { rows } of papers) yield rows;
}
