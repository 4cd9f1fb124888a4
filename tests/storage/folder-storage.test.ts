import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { createFolderStorage } from '../../storage/folder-storage.js';
import { storageContract } from '../support/storage/storage-contract.js';

describe('objects in a folder', () => {
  storageContract(() => {
    const folder = mkdtempSync(join(tmpdir(), 'turnwise-storage-'));
    return () => createFolderStorage(folder);
  });
});
