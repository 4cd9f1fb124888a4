import { mkdtempSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { databaseDescriptionFile } from '../../../domain/stores/database.js';
import { createFolderStorage } from '../../../storage/folder-storage.js';
import { uploadDatabase } from '../../../storage/stores/store-place.js';
import { importDatabase } from '../../../worker/adapters/databases/import-database.js';
import { afar, placeIn } from '../../support/storage/afar.js';

const source = { ddl: 'CREATE TABLE lamps (watts INTEGER)', rows: 'INSERT INTO lamps VALUES (4)' };
const longAgo = new Date('2020-01-01');
const newFolder = (): string => mkdtempSync(join(tmpdir(), 'turnwise-used-'));

it('says by its time that a database which is there is imported again', async () => {
  const home = newFolder();
  const { id } = await importDatabase(home, source);
  const file = join(home, databaseDescriptionFile(id));
  utimesSync(file, longAgo, longAgo);
  const { storage, copies } = placeIn(createFolderStorage(home), home);
  await uploadDatabase(storage, copies, await importDatabase(home, source));
  expect(statSync(file).mtimeMs).toBeGreaterThan(longAgo.getTime());
});

it('says so in an object store, too, and keeps what is there', async () => {
  const { storage, copies, importFolder } = placeIn(afar(newFolder()), newFolder());
  const description = await importDatabase(importFolder, source);
  await uploadDatabase(storage, copies, description);
  const path = databaseDescriptionFile(description.id);
  const before = await storage.read(path);
  const file = join(storage.location, path);
  utimesSync(file, longAgo, longAgo);
  await uploadDatabase(storage, copies, description);
  expect((await storage.version(path))?.storedAtMs).toBeGreaterThan(longAgo.getTime());
  expect(await storage.read(path)).toEqual(before);
});
