import { callMilvus, MilvusRefusal } from './call.js';
import type { Milvus } from './client.js';

/** Milvus's error code for a collection that is not loaded, as after a restart of Milvus. */
export const notLoaded = 101;

/** Makes a call that needs the collection in memory, and loads the collection first if Milvus was restarted. */
export async function whenLoaded<T>(
  milvus: Milvus,
  collection_name: string,
  call: () => Promise<T>,
): Promise<T> {
  try {
    return await callMilvus(call);
  } catch (error) {
    if (!(error instanceof MilvusRefusal) || error.code !== notLoaded) throw error;
    await callMilvus(async () => (await milvus.client()).loadCollectionSync({ collection_name }));
    return callMilvus(call);
  }
}
