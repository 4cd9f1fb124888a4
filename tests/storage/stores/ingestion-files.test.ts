import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { storeNameSchema } from '../../../domain/ids.js';
import { filesPerPage, type Ingestion } from '../../../domain/stores/ingestion.js';
import { createIngestionFiles } from '../../../storage/stores/ingestion-files.js';
import { createFolderStorage } from '../../../storage/folder-storage.js';

const home = mkdtempSync(join(tmpdir(), 'turnwise-ingestions-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const ingestions = createIngestionFiles(createFolderStorage(home));
const store = storeNameSchema.parse('papers');
const ingestion: Ingestion = { store, id: '3f2504e0-4f89-41d3-9a0c-0305e82c3301' };
const folder = join(home, 'stores/papers/ingestions');
const sha256 = 'a'.repeat(64);

describe('the files of an ingestion', () => {
  beforeEach(() => rmSync(join(home, 'stores'), { recursive: true, force: true }));

  it('hold any number of paths, page by page', async () => {
    const files = Array.from({ length: filesPerPage * 2 + 1 }, (_, index) => `/${index}.pdf`);
    expect(await ingestions.create(ingestion, files)).toBe(3);
    const pages = await Promise.all([1, 2, 3].map((page) => ingestions.files(ingestion, page)));
    expect(pages.flat().map(({ file }) => file)).toEqual(files);
    expect(pages.at(-1)).toHaveLength(1);
  });

  it('tell what has become of every file, however often a page is saved', async () => {
    await ingestions.create(ingestion, ['/a.pdf', '/b.pdf', '/c.pdf']);
    const plan = {
      fresh: [
        { file: '/a.pdf', sha256 },
        { file: '/b.pdf', sha256: 'b'.repeat(64) },
      ],
      unchanged: ['/c.pdf'],
      failed: [],
    };
    const failed = [{ file: '/b.pdf', reason: 'It is a scan.' }];
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await ingestions.savePlan(ingestion, 1, plan);
      await ingestions.saveFailures(ingestion, 1, failed);
    }
    expect(await ingestions.progress(ingestion)).toEqual({
      read: [{ file: '/a.pdf', sha256 }],
      unchanged: ['/c.pdf'],
      failed,
    });
    expect(await ingestions.ignored(ingestion)).toEqual([]);
    await ingestions.saveIgnored(ingestion, [sha256]);
    expect(await ingestions.ignored(ingestion)).toEqual([sha256]);
  });

  it('are an error when they are gone', async () => {
    await expect(ingestions.files(ingestion, 1)).rejects.toMatchObject({
      type: 'IngestionLost',
      message: expect.stringContaining('files.1.json is missing or damaged') as unknown,
    });
  });

  it('leave no folder behind, unless there is something else in it', async () => {
    const other = { store, id: '3f2504e0-4f89-41d3-9a0c-0305e82c3302' };
    await ingestions.create(ingestion, ['/a.pdf']);
    await ingestions.create(other, ['/a.pdf']);
    await ingestions.remove(ingestion);
    expect(readdirSync(folder)).toEqual([other.id]);
    await ingestions.remove(other);
    expect(existsSync(join(home, 'stores'))).toBe(false);
    mkdirSync(join(home, 'stores/papers/papers'), { recursive: true });
    await ingestions.create(ingestion, ['/a.pdf']);
    await ingestions.remove(ingestion);
    expect(readdirSync(join(home, 'stores/papers'))).toEqual(['papers']);
  });

  it('are removed by a later ingestion when nothing was written to them for two days', async () => {
    const abandoned = { store, id: '3f2504e0-4f89-41d3-9a0c-0305e82c3302' };
    await ingestions.create(abandoned, ['/a.pdf']);
    utimesSync(join(folder, abandoned.id), new Date(0), new Date(0));
    await ingestions.create(ingestion, ['/a.pdf']);
    expect(existsSync(join(folder, abandoned.id))).toBe(false);
    expect(readdirSync(folder)).toEqual([ingestion.id]);
  });
});
