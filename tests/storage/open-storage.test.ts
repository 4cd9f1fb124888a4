import { expect, it } from 'vitest';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFolderStorage } from '../../storage/folder-storage.js';
import { openHome, readHome } from '../../storage/open-storage.js';

const emptyFolder = (): string => mkdtempSync(join(tmpdir(), 'turnwise-home-'));

it('is made once, by whoever is first', async () => {
  const storage = createFolderStorage(emptyFolder());
  expect(await readHome(storage)).toBeNull();
  const ids = await Promise.all(Array.from({ length: 20 }, () => openHome(storage)));
  expect(new Set(ids.map(({ id }) => id)).size).toBe(1);
  expect(await readHome(storage)).toEqual(ids[0]);
});

it('differs between homes', async () => {
  const [a, b] = [createFolderStorage(emptyFolder()), createFolderStorage(emptyFolder())];
  expect((await openHome(a)).id).not.toBe((await openHome(b)).id);
});

it('that cannot be read is no new one', async () => {
  const folder = emptyFolder();
  writeFileSync(join(folder, 'home.json'), '');
  await expect(openHome(createFolderStorage(folder))).rejects.toThrow(
    /^home\.json of .* is damaged .*: restore it, or remove it where no run is open$/,
  );
});
