import { join } from 'node:path';
import { PortFailure } from '../../activities/ports/port-failure.js';
import type { StoresPort } from '../../activities/ports/stores.js';
import { storeFolder, storeManifestFile } from '../../domain/stores/store-layout.js';
import { storeManifestSchema } from '../../domain/stores/store-manifest.js';
import { readJsonFile } from '../../storage/json-file.js';
import { UnchangedFiles } from '../../storage/unchanged-files.js';

/** Of the manifests that runs under way look at each turn. */
const rememberedBytes = 2 ** 20;

/** Stores in folders that every worker can see: `stores/` of TURNWISE_HOME. */
export function createFolderStores(home: string): StoresPort {
  const unchanged = new UnchangedFiles(rememberedBytes);
  return {
    fingerprint: async (store) => {
      const path = join(home, storeFolder(store), storeManifestFile);
      const manifest = await unchanged.read(
        path,
        async () => storeManifestSchema.safeParse(await readJsonFile(path)).data ?? null,
      );
      if (manifest) return manifest.fingerprint;
      throw new PortFailure('StoreMissing', `There is no store '${store}', or it is damaged.`);
    },
  };
}
