import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createFolderStorage } from '../../storage/folder-storage.js';
import { openHomeId, readHomeId } from '../../storage/home-id.js';

const emptyFolder = (): string => mkdtempSync(join(tmpdir(), 'turnwise-home-'));

it('is made once, by whoever is first', async () => {
  const storage = createFolderStorage(emptyFolder());
  expect(await readHomeId(storage)).toBeNull();
  const ids = await Promise.all(Array.from({ length: 20 }, () => openHomeId(storage)));
  expect(new Set(ids).size).toBe(1);
  expect(await readHomeId(storage)).toBe(ids[0]);
});

it('differs between homes', async () => {
  const [a, b] = [createFolderStorage(emptyFolder()), createFolderStorage(emptyFolder())];
  expect(await openHomeId(a)).not.toBe(await openHomeId(b));
});

it('that cannot be read is no new one', async () => {
  const folder = emptyFolder();
  writeFileSync(join(folder, 'home.json'), '');
  await expect(openHomeId(createFolderStorage(folder))).rejects.toThrow(
    /^home\.json of .* is damaged .*: restore it, or remove it where no run is open$/,
  );
});
