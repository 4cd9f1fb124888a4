import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { storeNameSchema } from '../../../../domain/ids.js';
import type { PictureOutcome, PictureRequest } from '../../../../activities/ports/tools.js';
import type { StoreManifest } from '../../../../domain/stores/store-manifest.js';
import { createPdfiumPictures } from '../../../../worker/adapters/pdfium/pictures.js';
import { compiledEntry } from '../../../support/commands/compiled-entry.js';
import { makePdf } from '../../../support/stores/make-pdf.js';
import { PortFailure } from '../../../../activities/ports/port-failure.js';

const folder = mkdtempSync(join(tmpdir(), 'turnwise-pictures-'));
const { entry: thread, remove } = compiledEntry('worker/adapters/pdfium/pdfium-thread.ts');
afterAll(() => {
  remove();
  rmSync(folder, { recursive: true, force: true });
});

const store = storeNameSchema.parse('papers');
const page = makePdf({ pages: [[{ text: 'X', x: 300, y: 400, size: 200, bold: true }], []] });
writeFileSync(join(folder, 'page.pdf'), page);
writeFileSync(join(folder, 'damaged.pdf'), 'no PDF');
// PDFium finds its way although objects have moved.
const huge = page.toString('latin1').replaceAll('[0 0 612 792]', '[0 0 9999 9999]');
writeFileSync(join(folder, 'huge.pdf'), huge, 'latin1');

const paper = { title: 'A page', file: 'page.pdf', pages: 2, sha256: '0'.repeat(64) };
const ids = { whole: 'a', damaged: 'b', lost: 'c', huge: 'd' };
const manifest: StoreManifest = {
  name: store,
  key: 'k1',
  generation: 1,
  fingerprint: 'f',
  builtAt: '',
  collections: [],
  files: {},
  papers: Object.values(ids).map((paperId) => ({ ...paper, paperId, sha256: paperId.repeat(64) })),
};
const pictures = createPdfiumPictures({
  generations: {
    holding: (contents) =>
      contents.store === store
        ? Promise.resolve(manifest)
        : Promise.reject(new PortFailure('StoreMissing', 'There is no such store.')),
  },
  pdf: (_store, sha256) => {
    const name = { a: 'page', b: 'damaged', d: 'huge' }[sha256.charAt(0)];
    return Promise.resolve(name === undefined ? null : join(folder, `${name}.pdf`));
  },
  thread,
});

const draw = (changes: Partial<PictureRequest>): Promise<PictureOutcome> =>
  pictures.ofPage(
    { store, paperId: ids.whole, page: 1, box: [], timeoutMs: 20_000, ...changes },
    new AbortController().signal,
  );

async function sizeOf(changes: Partial<PictureRequest>): Promise<readonly number[]> {
  const outcome = await draw(changes);
  if (outcome.kind !== 'picture') throw new Error(outcome.kind);
  expect(outcome.picture.mimeType).toBe('image/png');
  const png = Buffer.from(outcome.picture.base64, 'base64');
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}

describe('the picture of a page', () => {
  it('has 200 dots an inch', async () => {
    expect(await sizeOf({})).toEqual([1700, 2200]);
  });

  it('can be of a part of it, measured in points from the top left', async () => {
    expect(await sizeOf({ box: [72, 72, 144, 36] })).toEqual([400, 100]);
  });

  it('shows what is there', async () => {
    const hash = async (box: readonly number[]) =>
      createHash('sha256')
        .update(JSON.stringify(await draw({ box })))
        .digest('hex');
    const [ink, blank, alsoBlank] = await Promise.all([
      hash([320, 300, 60, 60]),
      hash([20, 20, 60, 60]),
      hash([100, 20, 60, 60]),
    ]);
    expect(blank).toBe(alsoBlank);
    expect(ink).not.toBe(blank);
  });

  it('ends at the edge of the page', async () => {
    expect(await sizeOf({ box: [540, 756, 500, 500] })).toEqual([200, 100]);
  });

  it.each<[string, Partial<PictureRequest>, PictureOutcome]>([
    ['a paper that is not in the store', { paperId: '../a' }, { kind: 'no-paper' }],
    ['a page that the paper does not have', { page: 3 }, { kind: 'no-page' }],
    [
      'a box outside of the page',
      { box: [700, 0, 10, 10] },
      {
        kind: 'picture-error',
        message: 'the bounding box lies outside of page 1, which is 612 points wide and 792 high',
      },
    ],
    [
      'a paper whose PDF is lost',
      { paperId: ids.lost },
      { kind: 'picture-error', message: 'the PDF of this paper is not kept' },
    ],
    [
      'a PDF that cannot be read',
      { paperId: ids.damaged },
      { kind: 'picture-error', message: 'the PDF cannot be read' },
    ],
    ['a page that takes too long', { timeoutMs: 1 }, { kind: 'picture-timeout' }],
  ])('does not exist of %s', async (_, changes, outcome) => {
    expect(await draw(changes)).toEqual(outcome);
  });

  it('is not drawn for a store that does not exist', async () => {
    await expect(draw({ store: storeNameSchema.parse('other') })).rejects.toMatchObject({
      type: 'StoreMissing',
    });
  });

  it('is small enough to be sent, however large the page', async () => {
    const [width = 0, height = 0] = await sizeOf({ paperId: ids.huge });
    expect(width * height).toBeLessThan(15_010_000);
    expect(width).toBeGreaterThan(3_800);
  });
});
