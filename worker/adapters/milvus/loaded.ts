import { setTimeout as sleep } from 'node:timers/promises';
import type { MilvusClient } from '@zilliz/milvus2-sdk-node';
import { callMilvus, MilvusRefusal } from './call.js';
import type { Milvus } from './client.js';

/** Milvus's error code for a collection that is not loaded, as after a restart of Milvus. */
export const notLoaded = 101;

/** Its codes for an error that it has no name for: none, and those of `UnexpectedError`. */
const unnamed: readonly number[] = [0, 1, 65_535];

/** Times that a call is made whose error has no name, and the pause between two. */
const unnamedTries = 3;
const unnamedPauseMs = 200;

/**
 * Makes a call that needs the collection in memory, and loads the collection first if Milvus was restarted. An error without a
 * name may be Milvus's own: it is the request's only if it comes again.
 */
export async function whenLoaded<T>(
  milvus: Milvus,
  collection_name: string,
  call: (client: MilvusClient) => Promise<T>,
): Promise<T> {
  for (let tries = 1, isLoaded = false; ; tries += 1) {
    try {
      return await callMilvus(milvus, call);
    } catch (error) {
      if (!(error instanceof MilvusRefusal)) throw error;
      if (error.code === notLoaded && !isLoaded) {
        await load(milvus, collection_name);
        isLoaded = true;
      } else if (unnamed.includes(error.code) && tries < unnamedTries) {
        await sleep(unnamedPauseMs);
      } else {
        throw error;
      }
    }
  }
}

/** Between two looks at a collection that is being loaded. */
const pollMs = 100;

/** Loads a collection into memory. The SDK's own function waits 400 ms after it has been loaded. */
export async function load(milvus: Milvus, collection_name: string): Promise<void> {
  await callMilvus(milvus, (client) => client.loadCollectionAsync({ collection_name }));
  for (;;) {
    const { progress } = await callMilvus(milvus, (client) =>
      client.getLoadingProgress({ collection_name }),
    );
    if (Number(progress) >= 100) return;
    await sleep(pollMs);
  }
}
