import type { StoreName } from '../../domain/ids.js';
import type { DatabaseId, StoredDatabase } from '../../domain/stores/database.js';
import { databaseFingerprint, draftManifest } from '../../domain/stores/ingestion.js';
import { newCorpus } from '../../domain/stores/bm25.js';
import { bm25Collection } from '../../domain/stores/store-manifest.js';
import { reportingFailures, whileHeartbeating } from '../failures.js';
import type { ClockPort } from '../ports/clock.js';
import type { EmbeddersPort } from '../ports/model.js';
import { PortFailure } from '../ports/port-failure.js';
import type { StoredDatabasesPort } from '../ports/store-contents.js';
import type { CollectionsPort, StoreWriterPort } from '../ports/stores.js';
import { newKey } from './build-tables.js';
import { requireReady } from './embedder.js';

export interface CopyDatabaseInput {
  readonly store: StoreName;
  readonly database: DatabaseId;
  /** Of its texts, by its name in a manifest. */
  readonly embedder: string;
  /** Even if the store holds it and seems complete. @defaultValue false */
  readonly rebuild?: boolean;
}

/**
 * Makes an imported database the next generation of a store, in place of another database. Resolves to false where the store
 * in use holds it, complete. Fails with `UnreadableImport` for a store of papers.
 */
export function createCopyDatabase({
  clock,
  collections,
  embedders,
  storedDatabases,
  storeWriter,
}: {
  readonly clock: ClockPort;
  readonly collections: CollectionsPort;
  readonly embedders: EmbeddersPort;
  readonly storedDatabases: StoredDatabasesPort;
  readonly storeWriter: StoreWriterPort;
}): (input: CopyDatabaseInput) => Promise<boolean> {
  /** A database without texts has no dense vectors. */
  const embeddersOf = ({ searched }: StoredDatabase, name: string): readonly string[] => [
    bm25Collection.embedder,
    ...(searched.length > 0 ? [name] : []),
  ];
  return ({ store, database: id, embedder: name, rebuild = false }) =>
    reportingFailures(() =>
      whileHeartbeating(async (signal) => {
        const previous = await storeWriter.manifest(store);
        const oldDraft = await storeWriter.draft(store);
        if (previous !== null && previous.database === undefined) {
          throw new PortFailure('UnreadableImport', `store ${store} holds papers`);
        }
        const held = previous?.database?.id === id ? previous.database : null;
        const isCurrent =
          !rebuild &&
          oldDraft === null &&
          previous !== null &&
          held !== null &&
          previous.fingerprint === databaseFingerprint(held, embeddersOf(held, name)) &&
          (await storeWriter.isWhole(previous)) &&
          (await collections.exist(previous));
        if (isCurrent) return false;
        await requireReady(embedders(name), signal);
        const isSound = held !== null && (await storedDatabases.sha256(store)) === held.sha256;
        const { database, tables } =
          isSound && previous?.files.tables
            ? { database: held, tables: previous.files.tables }
            : await storedDatabases.copyImported(id, store);
        const made = embeddersOf(database, name);
        const built = { key: oldDraft?.key ?? newKey(), embedders: made, builtAt: clock.now() };
        const draft = draftManifest(store, previous, [], built);
        const fingerprint = databaseFingerprint(database, made);
        const copied = { ...draft, fingerprint, database, files: { tables } };
        await storeWriter.writeDraft(copied);
        const corpus = newCorpus();
        for await (const cells of storedDatabases.cells(store, 'draft', database.searched)) {
          signal.throwIfAborted();
          for (const { text } of cells) corpus.add(text);
        }
        const bm25 = await storeWriter.writeBm25(store, corpus.fit());
        await storeWriter.writeDraft({ ...copied, files: { tables, bm25 } });
        return true;
      }),
    );
}
