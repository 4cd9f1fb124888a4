import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { createFolderStorage } from '../../../storage/folder-storage.js';
import { afar } from '../../support/storage/afar.js';
import { generationsContract } from '../../support/storage/generations-contract.js';

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'turnwise-generations-'));

describe('the generations of stores in a folder', () => {
  generationsContract(() => {
    const folder = newFolder();
    return () => createFolderStorage(folder);
  });
});

describe('the generations of stores elsewhere', () => {
  generationsContract(() => {
    const folder = newFolder();
    return () => afar(folder);
  });
});
