import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { storeNameSchema } from '../../../../domain/ids.js';
import { databaseIdSchema } from '../../../../domain/stores/database.js';
import { createDatabases } from '../../../../worker/adapters/files/stores.js';
import { placeAt } from '../../../support/stores/place-at.js';

const id = databaseIdSchema.parse('0'.repeat(32));
const content = { sha256: 'c'.repeat(64), bytes: 7 };
const papers = storeNameSchema.parse('papers');
const databases = (home: string) => {
  const { generations, imported } = placeAt(home);
  return createDatabases(generations, imported);
};

describe('the descriptions of databases', () => {
  it('are read from the folder of an imported database', async () => {
    const home = mkdtempSync(join(tmpdir(), 'turnwise-descriptions-'));
    const { description } = databases(home);
    const missing = {
      type: 'StoreMissing',
      message: expect.stringContaining('is missing') as string,
    };
    await expect(description({ kind: 'imported', id })).rejects.toMatchObject(missing);
    await mkdir(join(home, 'databases', id), { recursive: true });
    const file = join(home, 'databases', id, 'database.json');
    writeFileSync(file, '{');
    await expect(description({ kind: 'imported', id })).rejects.toMatchObject(missing);
    writeFileSync(file, JSON.stringify({ id, name: 'shop', tables: [], searched: [], content }));
    expect(await description({ kind: 'imported', id })).toEqual({
      ...{ id, name: 'shop', tables: [], searched: [], content },
    });
  });

  it('are those of the tables of papers for a store, or of its database, if there is one', async () => {
    const home = mkdtempSync(join(tmpdir(), 'turnwise-descriptions-'));
    const { description } = databases(home);
    await mkdir(join(home, 'stores', papers, 'generations'), { recursive: true });
    const manifest = {
      ...{ name: papers, key: 'k', generation: 1, fingerprint: 'x', builtAt: '', papers: [] },
      collections: [],
      files: {},
    };
    const file = join(home, 'stores', papers, 'generations', '1-k.json');
    writeFileSync(file, JSON.stringify(manifest));
    const { name, tables } = await description({ kind: 'store', name: papers });
    expect([name, tables[0]?.name, tables.length]).toEqual(['papers', 'metadata', 8]);
    const columns = [{ name: 'c', type: 'VARCHAR', nullable: true, description: '' }];
    const own = { name: 't', description: '', rows: 1, columns, primaryKey: [], foreignKeys: [] };
    const database = { id, name: 'shop', tables: [own], searched: [], sha256: 'a'.repeat(64) };
    rmSync(file);
    writeFileSync(file, JSON.stringify({ ...manifest, database }));
    const ofDatabase = await description({ kind: 'store', name: papers });
    expect(ofDatabase).toEqual({ name: 'papers', tables: [own] });
    const other = storeNameSchema.parse('other');
    await expect(description({ kind: 'store', name: other })).rejects.toMatchObject({
      type: 'StoreMissing',
    });
  });
});
