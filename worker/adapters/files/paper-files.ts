import { createHash, randomUUID } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { access, copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import type { PaperFilesPort } from '../../../activities/ports/stores.js';
import type { StoreName } from '../../../domain/ids.js';
import { keptPaperSchema, type KeptPaper } from '../../../domain/stores/extracted-paper.js';
import {
  extractedPaperFile,
  pdfCopyFile,
  storeFolder,
} from '../../../domain/stores/store-manifest.js';
import { readJsonFile, writeFileAtomically } from '../../../storage/atomic-file.js';

/** @param home - TURNWISE_HOME */
export function createFolderPaperFiles(home: string): PaperFilesPort {
  const inFolder = (store: StoreName, file: string): string => join(home, storeFolder(store), file);

  const kept = async (store: StoreName, sha256: string): Promise<KeptPaper | null> => {
    const file = await readJsonFile(inFolder(store, extractedPaperFile(sha256)));
    return keptPaperSchema.safeParse(file).data ?? null;
  };

  return {
    fingerprint: async (path) => {
      const hash = createHash('sha256');
      try {
        await pipeline(createReadStream(path), hash);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException; // node:fs throws nothing else.
        if (code === undefined) throw error;
        throw new PortFailure('UnreadablePdf', `${path} cannot be opened (${code}).`);
      }
      return hash.digest('hex');
    },
    kept,
    keep: async (store, paper, pdf = paper.path) => {
      const copy = inFolder(store, pdfCopyFile(paper.sha256));
      // First, since the text marks the paper as read.
      if (pdf !== null && pdf !== copy) await copyAtomically(pdf, copy);
      const text = JSON.stringify(paper);
      await writeFileAtomically(inFolder(store, extractedPaperFile(paper.sha256)), text);
    },
    pdf: async (store, sha256) => {
      const copy = inFolder(store, pdfCopyFile(sha256));
      return (await exists(copy)) ? copy : null;
    },
  };
}

async function copyAtomically(from: string, to: string): Promise<void> {
  const draft = `${to}.${randomUUID()}.tmp`;
  await mkdir(dirname(to), { recursive: true });
  try {
    // A file system that supports clones needs no space for the copy.
    await copyFile(from, draft, constants.COPYFILE_FICLONE);
    await rename(draft, to);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path, constants.R_OK).then(
    () => true,
    () => false,
  );
