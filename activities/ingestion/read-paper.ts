import type { PaperParts } from '../../domain/extraction/parsers/paper-parts.js';
import { replaceParts } from '../../domain/extraction/parsers/replace-parts.js';
import type { StoreName } from '../../domain/ids.js';
import { extractionVersion, type ExtractedPaper } from '../../domain/stores/extracted-paper.js';
import {
  isReadAsWanted,
  type AppliedParser,
  type Parser,
  type ParserSource,
} from '../../domain/stores/paper-parsers.js';
import { reportingFailures, whileHeartbeating } from '../failures.js';
import type { PaperFilesPort, PaperParsersPort, PdfPort } from '../ports/stores.js';

export interface ReadPaperInput {
  readonly store: StoreName;
  /** Absolute path. */
  readonly file: string;
  readonly sha256: string;
  /** Other parsers that read it. @defaultValue those whose files lie beside it */
  readonly parsers?: readonly Parser[];
}

interface ReadingPorts {
  readonly paperFiles: PaperFilesPort;
  readonly paperParsers: PaperParsersPort;
  readonly pdf: PdfPort;
}

/** Reads a PDF, unless what is kept with the store was read in the same way, and keeps it there. */
export function createReadPaper(
  ports: ReadingPorts,
): (input: ReadPaperInput) => Promise<{ readonly pages: number }> {
  const { paperFiles, paperParsers } = ports;
  return ({ store, file, sha256, parsers }) =>
    reportingFailures(() =>
      whileHeartbeating(async (signal) => {
        const kept = await paperFiles.kept(store, sha256);
        const hasCopy = (await paperFiles.pdf(store, sha256)) !== null;
        if (kept !== null && 'rows' in kept) {
          if (!hasCopy) await paperFiles.keep(store, kept, file);
          return { pages: kept.rows.pages.length };
        }
        const sources = await paperParsers.find(file, parsers);
        if (kept !== null && hasCopy && isReadAsWanted(kept.parsers ?? [], sources, parsers)) {
          return { pages: kept.paper.pages.length };
        }
        const read = await readWithParsers(ports, { pdf: file, beside: file }, sources, signal);
        await paperFiles.keep(store, {
          version: extractionVersion,
          file: file.split(/[\\/]/).at(-1) ?? file,
          path: file,
          sha256,
          ...read,
        });
        return { pages: read.paper.pages.length };
      }),
    );
}

/**
 * What a PDF holds, with the parts that other parsers give. Throws PortFailure where one of them fails: a paper is never read
 * in another way than was asked for.
 * @param file - where the PDF is, and where the files of parsers lie beside it
 */
export async function readWithParsers(
  { paperParsers, pdf }: Pick<ReadingPorts, 'paperParsers' | 'pdf'>,
  file: { readonly pdf: string; readonly beside: string },
  sources: readonly ParserSource[],
  signal: AbortSignal,
): Promise<Pick<ExtractedPaper, 'paper' | 'parsers'>> {
  let paper = await pdf.read(file.pdf, signal);
  const applied: AppliedParser[] = [];
  for (const source of sources) {
    const parts: PaperParts = await paperParsers.read(
      source,
      source.files === null ? file.pdf : file.beside,
      paper.pages,
      signal,
    );
    paper = replaceParts(paper, parts);
    applied.push({ ...source, parts: Object.keys(parts) });
  }
  return { paper, ...(applied.length > 0 && { parsers: applied }) };
}

/** Whether a store has what was read from a PDF in the wanted way, or imported, and a copy of the PDF, if there was one. */
export async function isKept(
  paperFiles: PaperFilesPort,
  {
    store,
    sha256,
    sources,
    parsers,
  }: Pick<ReadPaperInput, 'store' | 'sha256'> & {
    readonly sources: readonly ParserSource[];
    readonly parsers: readonly Parser[] | undefined;
  },
): Promise<boolean> {
  const kept = await paperFiles.kept(store, sha256);
  if (kept === null) return false;
  if (kept.path !== null && (await paperFiles.pdf(store, sha256)) === null) return false;
  return 'rows' in kept || isReadAsWanted(kept.parsers ?? [], sources, parsers);
}
