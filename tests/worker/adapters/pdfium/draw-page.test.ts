import { expect, it } from 'vitest';
import { inflateSync } from 'node:zlib';
import { encodePng } from '../../../../worker/adapters/pdfium/draw-page.js';

it('writes a picture that can be read back by the rules of the format', () => {
  const rgb = Uint8Array.from({ length: 2 * 3 * 3 }, (_, index) => index * 14);
  const png = encodePng({ width: 2, height: 3, rgb });
  expect(png.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');

  const chunks: { readonly type: string; readonly data: Buffer }[] = [];
  for (let at = 8; at < png.length;) {
    const size = png.readUInt32BE(at);
    chunks.push({
      type: png.toString('latin1', at + 4, at + 8),
      data: png.subarray(at + 8, at + 8 + size),
    });
    at += size + 12;
  }
  const [header, data, end] = chunks;
  expect([header?.type, data?.type, end?.type]).toEqual(['IHDR', 'IDAT', 'IEND']);
  expect([...(header?.data ?? [])]).toEqual([0, 0, 0, 2, 0, 0, 0, 3, 8, 2, 0, 0, 0]);
  const lines = inflateSync(data?.data ?? Buffer.alloc(0));
  const pixels = [0, 1, 2].flatMap((row) => [...lines.subarray(row * 7 + 1, row * 7 + 7)]);
  expect(pixels).toEqual([...rgb]);
  // The end has no data, so its checksum is always the same.
  expect(png.subarray(-4).toString('hex')).toBe('ae426082');
});
