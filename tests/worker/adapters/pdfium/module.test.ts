import { describe, expect, it } from 'vitest';
import {
  PdfiumMemoryFull,
  withDocument,
  type Pdfium,
} from '../../../../worker/adapters/pdfium/module.js';
import { makePdf } from '../../../support/stores/make-pdf.js';

const small = makePdf({ pages: [[{ text: 'Ponds', x: 100, y: 700 }]] });
const other = makePdf({ pages: [[{ text: 'Frogs', x: 100, y: 700 }], []] });

const instanceOf = (bytes: Uint8Array): Promise<Pdfium> => withDocument(bytes, (pdfium) => pdfium);

describe('withDocument', () => {
  it('finds the same memory whatever the document before has done to it', async () => {
    const memory = (pdfium: Pdfium): Uint8Array => pdfium.HEAPU8.slice();
    const first = await withDocument(small, memory);
    const used = await withDocument(other, (pdfium) => {
      pdfium.HEAPU8.fill(7);
      return pdfium;
    });
    const second = await withDocument(small, (pdfium) => {
      expect(pdfium).toBe(used);
      return memory(pdfium);
    });
    expect(Buffer.compare(first, second)).toBe(0);
  });

  it('starts another PDFium after an exception', async () => {
    const before = await instanceOf(small);
    const failing = withDocument(small, () => {
      throw new RangeError('in the midst of a call');
    });
    await expect(failing).rejects.toThrow('in the midst of a call');
    expect(await instanceOf(small)).not.toBe(before);
  });

  it('keeps to the memory of each document, and to no large one', async () => {
    const before = await instanceOf(small);
    const allocate = (pdfium: Pdfium): number => pdfium._malloc(100 * 2 ** 20);
    await expect(withDocument(small, allocate, 64)).rejects.toThrow(PdfiumMemoryFull);
    const after = await instanceOf(small);
    expect(after).not.toBe(before);
    expect(await withDocument(small, allocate)).toBeGreaterThan(0);
    expect(await instanceOf(small)).not.toBe(after);
  });
});
