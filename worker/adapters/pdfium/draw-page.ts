import { crc32, deflateSync } from 'node:zlib';
import { withDocument, type Pdfium } from './module.js';

interface PageArea {
  /** From 1. */
  readonly page: number;
  /** `[x, y, width, height]` in points from the top left; empty for the whole page. */
  readonly box: readonly number[];
}

/** `reason` is for the model. */
export type PageDrawing =
  | { readonly kind: 'drawn'; readonly png: Uint8Array }
  | { readonly kind: 'no-page' }
  | { readonly kind: 'undrawable'; readonly reason: string };

/** 200 dots per inch, as in the reference system. */
const pixelsPerPoint = 200 / 72;
/** Four times a page of letter paper. */
const mostPixels = 15_000_000;
/** Providers accept 20 MB as base64, and a request may hold several pictures. */
const mostBytes = 4_000_000;

/** Draws a page or a part of it. A damaged file may take for ever: call this in a thread that can be ended. */
export const drawPage = (bytes: Uint8Array, area: PageArea): Promise<PageDrawing> =>
  withDocument(bytes, (pdfium, document) => drawIn(pdfium, document, area));

function drawIn(pdfium: Pdfium, document: number, { page, box }: PageArea): PageDrawing {
  if (document === 0) return { kind: 'undrawable', reason: 'the PDF cannot be read' };
  const loaded = pdfium._FPDF_LoadPage(document, page - 1);
  if (loaded === 0) return { kind: 'no-page' };
  const paper = {
    width: pdfium._FPDF_GetPageWidth(loaded),
    height: pdfium._FPDF_GetPageHeight(loaded),
  };
  const area = areaOf(paper, box);
  if (area.width <= 0 || area.height <= 0) {
    const reason = `the bounding box lies outside of page ${page}, which is ${Math.round(paper.width)} points wide and ${Math.round(paper.height)} high`;
    return { kind: 'undrawable', reason };
  }
  let scale = Math.min(pixelsPerPoint, Math.sqrt(mostPixels / (area.width * area.height)));
  for (;;) {
    const png = encodePng(draw(pdfium, loaded, paper, area, scale));
    if (png.length <= mostBytes) return { kind: 'drawn', png };
    scale /= 2;
  }
}

interface Size {
  readonly width: number;
  readonly height: number;
}
interface Area extends Size {
  readonly x: number;
  readonly y: number;
}

/** The part of the box that is on the page. */
function areaOf({ width, height }: Size, box: readonly number[]): Area {
  const [left = 0, top = 0, boxWidth = width, boxHeight = height] = box;
  const [x, y] = [Math.max(0, left), Math.max(0, top)];
  return {
    x,
    y,
    width: Math.min(width, left + boxWidth) - x,
    height: Math.min(height, top + boxHeight) - y,
  };
}

/** FPDFBitmap_BGRx and FPDF_ANNOT of fpdfview.h. */
const [bgrx, withAnnotations] = [3, 1];
const white = 0xffffffff;

/** Draws a part of a loaded page. @param scale - pixels a point */
export function draw(pdfium: Pdfium, page: number, paper: Size, area: Area, scale: number): Raster {
  const dots = (points: number): number => Math.round(points * scale);
  const width = Math.max(1, dots(area.width));
  const height = Math.max(1, dots(area.height));
  const bitmap = pdfium._FPDFBitmap_CreateEx(width, height, bgrx, 0, 0);
  if (bitmap === 0) throw new RangeError('PDFium has no memory for the picture.');
  try {
    pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, white);
    const place = [-dots(area.x), -dots(area.y), dots(paper.width), dots(paper.height)];
    pdfium._FPDF_RenderPageBitmap(bitmap, page, ...place, 0, withAnnotations);
    const stride = pdfium._FPDFBitmap_GetStride(bitmap);
    const start = pdfium._FPDFBitmap_GetBuffer(bitmap);
    const bgr = pdfium.HEAPU8.subarray(start, start + stride * height);
    return { width, height, rgb: rgbOf(bgr, width, height, stride) };
  } finally {
    pdfium._FPDFBitmap_Destroy(bitmap);
  }
}

/** From four bytes per pixel, blue first. */
function rgbOf(bgr: Uint8Array, width: number, height: number, stride: number): Uint8Array {
  const rgb = new Uint8Array(width * height * 3);
  let at = 0;
  for (let row = 0; row < height; row += 1) {
    for (let from = row * stride; from < row * stride + width * 4; from += 4) {
      rgb[at++] = bgr[from + 2] ?? 0;
      rgb[at++] = bgr[from + 1] ?? 0;
      rgb[at++] = bgr[from] ?? 0;
    }
  }
  return rgb;
}

interface Raster {
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
