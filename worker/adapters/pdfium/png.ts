import { crc32, deflateSync } from 'node:zlib';

export interface Raster {
  readonly width: number;
  readonly height: number;
  /** Three bytes a pixel: red, green, blue; rows from the top. */
  readonly rgb: Uint8Array;
}

/** Types of colour: https://www.w3.org/TR/png-3/#3colourType. */
const [rgbColours, indexed] = [2, 3];

/** A PNG of 8 bits per channel, without alpha or filters (https://www.w3.org/TR/png-3/). Filter 2 makes printed pages a third larger. */
export const encodePng = ({ width, height, rgb }: Raster): Buffer =>
  png(width, height, rgbColours, rows(rgb, width * 3, height));

/** The same with 4 bits per channel, and a palette where that suffices: a quarter as large for a printed page. */
export function encodeSmallPng({ width, height, rgb }: Raster): Buffer {
  const coarse = rgb.map((level) => (level >> 4) * 0x11);
  const places = new Map<number, number>();
  const pixels = new Uint8Array(width * height);
  for (let pixel = 0; pixel < pixels.length; pixel += 1) {
    const at = pixel * 3;
    const colour = ((coarse[at] ?? 0) << 16) | ((coarse[at + 1] ?? 0) << 8) | (coarse[at + 2] ?? 0);
    const place = places.get(colour) ?? places.size;
    if (place > 255) return encodePng({ width, height, rgb: coarse });
    places.set(colour, place);
    pixels[pixel] = place;
  }
  const palette = Buffer.from(
    [...places.keys()].flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]),
  );
  return png(width, height, indexed, rows(pixels, width, height), chunk('PLTE', palette));
}

const signature = Buffer.from('89504e470d0a1a0a', 'hex');

function png(
  width: number,
  height: number,
  colourType: number,
  data: Buffer,
  ...between: readonly Buffer[]
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, colourType, 0, 0, 0], 8);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    ...between,
    chunk('IDAT', deflateSync(data)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Each line begins with the number of its filter, 0. */
function rows(pixels: Uint8Array, stride: number, height: number): Buffer {
  const lines = Buffer.alloc(height * (stride + 1));
  for (let row = 0; row < height; row += 1) {
    lines.set(pixels.subarray(row * stride, (row + 1) * stride), row * (stride + 1) + 1);
  }
  return lines;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}
