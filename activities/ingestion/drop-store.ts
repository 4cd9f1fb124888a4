import type { StoreName } from '../../domain/ids.js';
import { reportingFailures, whileHeartbeating } from '../failures.js';
import type { StoreContentsPort } from '../ports/store-contents.js';
import type { CollectionsPort, StoreWriterPort } from '../ports/stores.js';

interface RemovingPorts {
  readonly collections: CollectionsPort;
  readonly contents: StoreContentsPort;
  readonly storeWriter: StoreWriterPort;
}

export interface DroppedStore {
  /** How many were removed. Null where no manifest said which ones are the store's. */
  readonly collections: number | null;
}

/**
 * Removes a store. Its manifest is first withdrawn, so that nobody opens the store any more, and removed last: it alone says
 * which collections in Milvus are the store's. An interrupted removal is completed by the next one.
 */
export function createDropStore({
  collections,
  contents,
}: Pick<RemovingPorts, 'collections' | 'contents'>): (input: {
  readonly store: StoreName;
}) => Promise<DroppedStore> {
  return ({ store }) =>
    reportingFailures(() =>
      whileHeartbeating(async () => {
        const withdrawn = await contents.withdraw(store);
        const names = withdrawn === null ? [] : await collections.list(withdrawn);
        for (const name of names) await collections.drop(name);
        const hadFiles = await contents.remove(store);
        return { collections: withdrawn === null && hadFiles ? null : names.length };
      }),
    );
}

/** Removes what unfinished ingestions and earlier generations have left in a store. */
export function createRemoveLeftovers({
  collections,
  contents,
  storeWriter,
}: RemovingPorts): (input: { readonly store: StoreName }) => Promise<void> {
  return ({ store }) =>
    reportingFailures(() =>
      whileHeartbeating(async () => {
        const manifest = await storeWriter.manifest(store);
        if (manifest === null) return;
        for (const name of await contents.leftovers(manifest)) {
          await contents.removeFile(store, name);
        }
        await collections.dropOthers(manifest);
      }),
    );
}
