import { mkdtempSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PortFailure } from '../../../../activities/ports/port-failure.js';
import { storeNameSchema } from '../../../../domain/ids.js';
import { databaseIdSchema } from '../../../../domain/stores/database.js';
import { createFolderDatabases } from '../../../../worker/adapters/files/stores.js';

const id = databaseIdSchema.parse('0'.repeat(32));
const papers = storeNameSchema.parse('papers');
const databases = (home: string) =>
  createFolderDatabases(home, {
    fingerprint: (store) =>
      store === papers
        ? Promise.resolve('x')
        : Promise.reject(new PortFailure('StoreMissing', 'there is no such store')),
  });

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
    writeFileSync(file, JSON.stringify({ id, name: 'shop', tables: [] }));
    expect(await description({ kind: 'imported', id })).toEqual({ id, name: 'shop', tables: [] });
  });

  it('are those of the tables of papers for a store, if there is one', async () => {
    const { description } = databases('/nowhere');
    const { name, tables } = await description({ kind: 'store', name: papers });
    expect([name, tables[0]?.name, tables.length]).toEqual(['papers', 'metadata', 8]);
    const other = storeNameSchema.parse('other');
    await expect(description({ kind: 'store', name: other })).rejects.toMatchObject({
      type: 'StoreMissing',
    });
  });
});
