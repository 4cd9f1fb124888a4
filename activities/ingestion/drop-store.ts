import type { StoreName } from '../../domain/ids.js';
import type { Ingestion } from '../../domain/stores/ingestion.js';
import type { StoreManifest } from '../../domain/stores/store-manifest.js';
import { reportingFailures, whileHeartbeating } from '../failures.js';
import type { StoreContentsPort } from '../ports/store-contents.js';
import type { CollectionsPort } from '../ports/stores.js';

interface RemovingPorts {
  readonly collections: CollectionsPort;
  readonly contents: StoreContentsPort;
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
}: RemovingPorts): (input: { readonly store: StoreName }) => Promise<DroppedStore> {
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
export function createRemoveLeftovers({ collections, contents }: RemovingPorts): (input: {
  readonly store: StoreName;
  /** What it was given is not needed any more. */
  readonly ingestion?: Ingestion;
  /** The fingerprints of generations that are kept for runs which are not open. @defaultValue none */
  readonly kept?: readonly string[];
}) => Promise<void> {
  return ({ store, ingestion, kept: also }) =>
    reportingFailures(() =>
      whileHeartbeating(async () => {
        const kept = await removeSuperseded({ collections, contents }, store, also);
        if (kept.length === 0) return;
        for (const name of await contents.unusedFiles(store, kept, ingestion?.id)) {
          await contents.removeFile(store, name);
        }
      }),
    );
}

/**
 * Removes the generations that nothing uses: first their manifests, so that nobody opens them any more. Resolves to those that
 * are kept.
 */
export async function removeSuperseded(
  { collections, contents }: RemovingPorts,
  store: StoreName,
  also?: readonly string[],
): Promise<readonly StoreManifest[]> {
  const kept = await contents.kept(store, also);
  if (kept.length === 0) return kept;
  const { manifests, files } = await contents.superseded(store, kept);
  for (const name of manifests) await contents.removeFile(store, name);
  await collections.dropOthers(kept);
  for (const name of files) await contents.removeFile(store, name);
  return kept;
}
