import type { StoreName } from '../domain/ids.js';
import { reportingFailures } from './failures.js';
import { whileHeartbeating } from './heartbeat.js';
import type { CollectionsPort } from './ports/collections.js';
import type { StoreWriterPort } from './ports/store-writer.js';

/** Puts the draft into use and removes what only the generation before it needed. */
export function createPublishStore({
  collections,
  storeWriter,
}: {
  readonly collections: CollectionsPort;
  readonly storeWriter: StoreWriterPort;
}): (input: { readonly store: StoreName }) => Promise<void> {
  return ({ store }) =>
    reportingFailures(() =>
      whileHeartbeating(async () => {
        const draft = await storeWriter.draft(store);
        // Absent when an earlier attempt was cut off after the swap.
        if (draft !== null) await storeWriter.publish(draft);
        const manifest = await storeWriter.manifest(store);
        if (manifest !== null) await collections.dropOthers(manifest);
      }),
    );
}
