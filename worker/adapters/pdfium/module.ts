import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { PDFiumModule } from '@hyzyla/pdfium';

type Loaded = Awaited<ReturnType<typeof PDFiumModule>>;
type Call = (...args: readonly number[]) => number;

/** Functions of PDFium's C interface (fpdfview.h, fpdf_doc.h, fpdf_text.h, fpdf_edit.h). */
const functions = [
  'malloc',
  'free',
  'PDFium_Init',
  'FPDF_LoadMemDocument',
  'FPDF_GetLastError',
  'FPDF_DocumentHasValidCrossReferenceTable',
  'FPDF_GetMetaText',
  'FPDF_GetPageCount',
  'FPDF_GetPageSizeByIndex',
  'FPDF_LoadPage',
  'FPDF_ClosePage',
  'FPDF_GetPageWidth',
  'FPDF_GetPageHeight',
  'FPDF_GetPageBoundingBox',
  'FPDFPage_GetRotation',
  'FPDFBookmark_GetFirstChild',
  'FPDFBookmark_GetNextSibling',
  'FPDFBookmark_GetTitle',
  'FPDFBookmark_GetDest',
  'FPDFBookmark_GetAction',
  'FPDFAction_GetDest',
  'FPDFDest_GetDestPageIndex',
  'FPDFDest_GetLocationInPage',
  'FPDFText_LoadPage',
  'FPDFText_ClosePage',
  'FPDFText_CountChars',
  'FPDFText_GetText',
  'FPDFText_GetUnicode',
  'FPDFText_GetFontSize',
  'FPDFText_GetTextObject',
  'FPDFText_GetCharBox',
  'FPDFText_GetCharOrigin',
  'FPDFText_GetMatrix',
  'FPDFText_HasUnicodeMapError',
  'FPDFTextObj_GetFont',
  'FPDFFont_GetBaseFontName',
  'FPDFFont_GetFlags',
  'FPDFFont_GetWeight',
  'FPDFPage_CountObjects',
  'FPDFPage_GetObject',
  'FPDFPageObj_GetType',
  'FPDFPageObj_GetBounds',
  'FPDFPageObj_GetMatrix',
  'FPDFPageObj_GetClipPath',
  'FPDFClipPath_CountPaths',
  'FPDFClipPath_CountPathSegments',
  'FPDFClipPath_GetPathSegment',
  'FPDFPathSegment_GetPoint',
  'FPDFPath_GetDrawMode',
  'FPDFFormObj_CountObjects',
  'FPDFFormObj_GetObject',
  'FPDFBitmap_CreateEx',
  'FPDFBitmap_Destroy',
  'FPDFBitmap_FillRect',
  'FPDFBitmap_GetBuffer',
  'FPDFBitmap_GetStride',
  'FPDF_RenderPageBitmap',
] as const;

/** Views of PDFium's memory. They are new ones after it has grown, so nobody may keep them. */
interface Memory {
  readonly HEAPU8: Uint8Array;
  readonly HEAP32: Int32Array;
  readonly HEAPF32: Float32Array;
  readonly HEAPF64: Float64Array;
}

/** PDFium's functions, each with an underscore before its name, and its memory. */
export type Pdfium = Readonly<Record<`_${(typeof functions)[number]}`, Call>> & Memory;

/** Enough to draw the largest page. */
export const defaultMemoryMb = 512;

/** PDFium needs more memory than it may have. */
export class PdfiumMemoryFull extends Error {}

type ResizeMemory = (bytes: number) => unknown;
interface Imports {
  readonly env: { readonly emscripten_resize_heap: ResizeMemory } & Readonly<
    Record<string, unknown>
  >;
}

// The types of Node 20 do not declare the global.
declare const WebAssembly: {
  readonly compile: (bytes: Uint8Array) => Promise<CompiledPdfium>;
  readonly instantiate: (
    module: CompiledPdfium,
    imports: Imports,
  ) => Promise<{ readonly exports: unknown }>;
};
type CompiledPdfium = object & { readonly brand: 'WebAssembly.Module' };

const compiledKey = 'turnwise.pdfium';

/** Compiles PDFium once for all threads that this one starts from now on: to compile it takes them longer than most pages. */
export async function shareCompiledPdfium(): Promise<void> {
  if (compiledHere() === undefined) setEnvironmentData(compiledKey, await compile());
}

// Only `shareCompiledPdfium` sets it.
const compiledHere = (): CompiledPdfium | undefined =>
  getEnvironmentData(compiledKey) as CompiledPdfium | undefined;

const compile = async (): Promise<CompiledPdfium> =>
  WebAssembly.compile(
    await readFile(fileURLToPath(import.meta.resolve('@hyzyla/pdfium/pdfium.wasm'))),
  );

/** A PDFium that has read nothing yet. */
interface Started {
  readonly pdfium: Pdfium;
  /** What its memory held after its start, without the zeros at the end. */
  readonly memory: Uint8Array;
  /** The most that its memory may become. */
  readonly most: { bytes: number };
}

/** The next document's, in this thread. */
let waiting: Started | null = null;

/** A larger memory is left to the garbage collector, so that a thread that waits holds little. */
const mostKeptBytes = 48 * 2 ** 20;

/**
 * Opens a document for `use`, which gets 0 in its place where PDFium cannot read it. PDFium knows nothing of earlier documents,
 * which may have damaged its memory: after each one, all of it is set back to what it was after the start. After an exception,
 * which leaves PDFium in the midst of a call, the next document gets another PDFium.
 *
 * A call that needs more memory than `memoryMb` throws PdfiumMemoryFull. By itself PDFium would take 2 GB for a page of a few
 * bytes that is compressed or repeats itself enough.
 */
export async function withDocument<T>(
  bytes: Uint8Array,
  use: (pdfium: Pdfium, document: number) => T,
  memoryMb = defaultMemoryMb,
): Promise<T> {
  const started = waiting ?? (await start());
  waiting = null;
  const { pdfium, memory, most } = started;
  most.bytes = memoryMb * 2 ** 20;
  const address = pdfium._malloc(bytes.length);
  pdfium.HEAPU8.set(bytes, address);
  const result = use(pdfium, pdfium._FPDF_LoadMemDocument(address, bytes.length, 0));
  if (pdfium.HEAPU8.length <= mostKeptBytes) {
    pdfium.HEAPU8.fill(0, memory.length);
    pdfium.HEAPU8.set(memory);
    waiting = started;
  }
  return result;
}

/**
 * Its functions are those of the WebAssembly module itself: the package's wrappers around them take longer than most of the
 * calls, of which a page needs thousands.
 */
async function start(): Promise<Started> {
  const most = { bytes: Infinity };
  const compiled = compiledHere() ?? (await compile());
  const module = await PDFiumModule({
    instantiateWasm: (imports: Imports, onInstance: (...made: readonly unknown[]) => void) => {
      const resize: ResizeMemory = (wanted) => {
        if (wanted > most.bytes) throw new PdfiumMemoryFull();
        return imports.env.emscripten_resize_heap(wanted);
      };
      const env = { ...imports.env, emscripten_resize_heap: resize };
      void WebAssembly.instantiate(compiled, { ...imports, env }).then((instance) =>
        onInstance(instance, compiled),
      );
      return {};
    },
  });
  if (!hasMemory(module)) throw new Error('This build of PDFium does not show its memory.');
  const exported: Readonly<Record<string, unknown>> = { ...module.wasmExports };
  const calls = Object.fromEntries(
    functions.map((name) => {
      const call = exported[name];
      if (typeof call !== 'function') throw new Error(`This build of PDFium lacks ${name}.`);
      return [`_${name}`, call];
    }),
  ) as Record<keyof Omit<Pdfium, keyof Memory>, Call>; // one for each of `functions`
  calls._PDFium_Init();
  const pdfium: Pdfium = {
    ...calls,
    get HEAPU8() {
      return module.HEAPU8;
    },
    get HEAP32() {
      return module.HEAP32;
    },
    get HEAPF32() {
      return module.HEAPF32;
    },
    get HEAPF64() {
      return module.HEAPF64;
    },
  };
  let words = pdfium.HEAP32.length;
  while (words > 0 && pdfium.HEAP32[words - 1] === 0) words -= 1;
  return { pdfium, memory: pdfium.HEAPU8.slice(0, words * 4), most };
}

/** The package does not type all views. */
const hasMemory = (module: Loaded): module is Loaded & Memory =>
  'HEAPF32' in module && 'HEAPF64' in module;

/** Allocates `bytes` of PDFium's memory during `use`, at an address aligned for doubles. */
export function withMemory<T>(pdfium: Pdfium, bytes: number, use: (address: number) => T): T {
  const address = pdfium._malloc(bytes);
  try {
    return use(address);
  } finally {
    pdfium._free(address);
  }
}

const decoders = { 'utf-8': new TextDecoder('utf-8'), 'utf-16le': new TextDecoder('utf-16le') };

/** Reads a text with one of PDFium's functions that fill a buffer. `fill` returns the number of bytes of the text. */
export function readText(
  pdfium: Pdfium,
  encoding: keyof typeof decoders,
  fill: (buffer: number, bytes: number) => number,
): string {
  const bytes = fill(0, 0);
  if (bytes <= 0) return '';
  return withMemory(pdfium, bytes, (buffer) => {
    fill(buffer, bytes);
    const text = decoders[encoding].decode(pdfium.HEAPU8.subarray(buffer, buffer + bytes));
    return text.replace(/\0.*$/s, '').trim();
  });
}
