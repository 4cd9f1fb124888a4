import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ObjectStorage } from '../../../storage/objects.js';
import { createLocalCopies, removeUnusedCopies } from '../../../storage/stores/local-copies.js';

const day = 24 * 3600_000;
const newFolder = (): string => mkdtempSync(join(tmpdir(), 'turnwise-copies-'));

it('removes the copies that nobody has begun to use for two weeks, and fetches one that is wanted again', async () => {
  const folder = newFolder();
  let downloads = 0;
  const storage = {
    location: 'afar',
    fileOf: () => null,
    download: (path: string, to: string) => {
      downloads += 1;
      writeFileSync(to, path);
      return Promise.resolve(true);
    },
  } as Partial<ObjectStorage> as ObjectStorage; // Nothing else is asked.
  const copy = (path: string, copies = createLocalCopies(storage, folder)): Promise<string> =>
    copies.file(path, { sha256: createHash('sha256').update(path).digest('hex') });

  const paths = await Promise.all([copy('stores/a/old'), copy('stores/a/used')]);
  const longAgo = new Date(Date.now() - 15 * day);
  for (const path of paths) utimesSync(path, longAgo, longAgo);
  // As a process does that begins to use it.
  await copy('stores/a/used');
  await removeUnusedCopies(folder);
  expect(paths.map(existsSync)).toEqual([false, true]);

  expect(downloads).toBe(2);
  await copy('stores/a/old');
  expect(downloads).toBe(3);
  expect(existsSync(join(folder, 'stores/a/old'))).toBe(true);
});

it('minds no folder that is not there', async () => {
  await expect(removeUnusedCopies(join(newFolder(), 'none'))).resolves.toBeUndefined();
});
