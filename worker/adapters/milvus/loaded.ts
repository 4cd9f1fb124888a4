import { setTimeout as sleep } from 'node:timers/promises';
import type { MilvusClient } from '@zilliz/milvus2-sdk-node';
import { callMilvus, MilvusRefusal } from './call.js';
import type { Milvus } from './client.js';

/** Milvus's error code for a collection that is not loaded, as after a restart of Milvus. */
export const notLoaded = 101;

/** Makes a call that needs the collection in memory, and loads the collection first if Milvus was restarted. */
export async function whenLoaded<T>(
  milvus: Milvus,
  collection_name: string,
  call: (client: MilvusClient) => Promise<T>,
): Promise<T> {
  try {
    return await callMilvus(milvus, call);
  } catch (error) {
    if (!(error instanceof MilvusRefusal) || error.code !== notLoaded) throw error;
    await load(milvus, collection_name);
    return callMilvus(milvus, call);
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
