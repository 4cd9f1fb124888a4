import { describe, expect, it } from 'vitest';
import { storeNameSchema } from '../../../domain/ids.js';
import {
  draftManifest,
  ingestionProgressSchema,
  ingestionResult,
  addPlannedFiles,
  addReadings,
  storeFingerprint,
} from '../../../domain/stores/ingestion.js';
import {
  collectionInMilvus,
  type StoredPaper,
  type StoreManifest,
} from '../../../domain/stores/store-manifest.js';

const paper = (letter: string, changes: Partial<StoredPaper> = {}): StoredPaper => ({
  paperId: `${letter.repeat(8)}-0000-5000-8000-000000000000`,
  title: `Title ${letter}`,
  file: `${letter}.pdf`,
  sha256: letter.repeat(64),
  pages: 1,
  ...changes,
});
const pdf = (letter: string) => ({ file: `/${letter}.pdf`, sha256: letter.repeat(64) });

describe('a store', () => {
  it('fingerprints a store by its papers, in any order, and its embedders', () => {
    const both = storeFingerprint([paper('a'), paper('b')], ['x']);
    expect(storeFingerprint([paper('b'), paper('a')], ['x'])).toBe(both);
    expect(storeFingerprint([paper('a')], ['x'])).not.toBe(both);
    expect(storeFingerprint([paper('a'), paper('b')], ['y'])).not.toBe(both);
  });

  describe('a generation', () => {
    const name = storeNameSchema.parse('papers');
    const made = { key: 'a1', embedders: ['x'], builtAt: '2026-01-01T00:00:00.000Z' };
    const first = draftManifest(name, null, [paper('a')], made);

    it('is counted from one', () => {
      expect(first.generation).toBe(1);
      expect(draftManifest(name, first, [paper('a')], made).generation).toBe(2);
    });

    it("keeps the store's key", () => {
      const second = (previous: StoreManifest) =>
        draftManifest(name, previous, [paper('a')], { ...made, key: 'b2' });
      expect(collectionInMilvus(second(first), 'text_bm25_en')).toBe('papers__a1__2__text_bm25_en');
    });
  });
});

describe('the progress of an ingestion', () => {
  const start = { read: [pdf('a')], unchanged: [], failed: [] };
  const unreadable = { file: '/z.pdf', reason: 'It is a scan.' };

  it('reads a PDF once that an earlier page of files held under another name', () => {
    const copy = { ...pdf('a'), file: '/copy.pdf' };
    const planned = { fresh: [copy, pdf('b')], unchanged: ['/old.pdf'], failed: [unreadable] };
    expect(addPlannedFiles(start, planned)).toEqual({
      toRead: [pdf('b')],
      progress: { ...start, unchanged: ['/old.pdf', '/copy.pdf'], failed: [unreadable] },
    });
  });

  it('names every file in one list of the result', () => {
    const progress = addReadings(start, [
      { kind: 'read', pdf: pdf('b') },
      { kind: 'failed', ...unreadable },
    ]);
    expect(ingestionResult(progress, ['b'.repeat(64)])).toEqual({
      ingested: ['/a.pdf'],
      unchanged: ['/b.pdf'],
      failed: [unreadable],
    });
  });

  it('survives continue-as-new', () => {
    expect(ingestionProgressSchema.parse(JSON.parse(JSON.stringify(start)))).toEqual(start);
  });
});
