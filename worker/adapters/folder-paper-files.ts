import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { PaperFilesPort } from '../../activities/ports/paper-files.js';
import { PortFailure } from '../../activities/ports/port-failure.js';
import type { StoreName } from '../../domain/ids.js';
import { keptPaperSchema } from '../../domain/papers/kept-paper.js';
import { keptPaperFile, storeFolder } from '../../domain/stores/store-layout.js';
import { writeFileAtomically } from './atomic-file.js';
import { readJsonFile } from './json-file.js';

/** @param home - TURNWISE_HOME */
export function createFolderPaperFiles(home: string): PaperFilesPort {
  const pathOf = (store: StoreName, sha256: string): string =>
    join(home, storeFolder(store), keptPaperFile(sha256));
  return {
    fingerprint: async (path) => {
      const hash = createHash('sha256');
      try {
        await pipeline(createReadStream(path), hash);
      } catch (error) {
        // What node:fs throws.
        const { code } = error as NodeJS.ErrnoException;
        if (code === undefined) throw error;
        throw new PortFailure('UnreadablePdf', `${path} cannot be opened (${code}).`);
      }
      return hash.digest('hex');
    },
    kept: async (store, sha256) =>
      keptPaperSchema.safeParse(await readJsonFile(pathOf(store, sha256))).data ?? null,
    keep: (store, paper) => writeFileAtomically(pathOf(store, paper.sha256), JSON.stringify(paper)),
  };
}
