import { describe, expect, it } from 'vitest';
import { storeNameSchema } from '../../../domain/ids.js';
import {
  draftManifest,
  ingestionProgress,
  ingestionResult,
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

describe('what becomes of the files of an ingestion', () => {
  const unreadable = { file: '/z.pdf', reason: 'It is a scan.' };
  const plan = { fresh: [pdf('a'), pdf('b')], unchanged: ['/old.pdf'], failed: [unreadable] };

  it('is, for every file, in one list of the result', () => {
    const failure = { file: '/b.pdf', reason: 'It is truncated.' };
    const pages = [
      { plan, failed: [failure] },
      { plan: { fresh: [pdf('c'), pdf('d')], unchanged: [], failed: [] }, failed: [] },
    ];
    expect(ingestionResult(ingestionProgress(pages), [pdf('c').sha256])).toEqual({
      ingested: ['/a.pdf', '/d.pdf'],
      unchanged: ['/old.pdf', '/c.pdf'],
      failed: [unreadable, failure],
    });
  });

  it('counts a PDF once that an earlier page held under another name', () => {
    const copy = { ...pdf('a'), file: '/copy.pdf' };
    const later = { fresh: [copy], unchanged: [], failed: [] };
    const progress = ingestionProgress([
      { plan, failed: [] },
      { plan: later, failed: [] },
    ]);
    expect(progress.read).toEqual([pdf('a'), pdf('b')]);
    expect(progress.unchanged).toEqual(['/old.pdf', '/copy.pdf']);
  });
});
