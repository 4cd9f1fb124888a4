import type { PaperParts } from '../../domain/extraction/parsers/paper-parts.js';
import { replaceParts } from '../../domain/extraction/parsers/replace-parts.js';
import type { StoreName } from '../../domain/ids.js';
import { extractionVersion, type ExtractedPaper } from '../../domain/stores/paper-tables.js';
import {
  isReadAsWanted,
  type AppliedParser,
  type Parser,
  type ParserSource,
} from '../../domain/stores/paper-parsers.js';
import { reportingFailures, whileHeartbeating } from '../failures.js';
import { PortFailure } from '../ports/port-failure.js';
import type { PaperFilesPort, PaperParsersPort, PdfPort } from '../ports/stores.js';

export interface ReadPaperInput {
  readonly store: StoreName;
  /** Where it was when it was given, which may have been on another machine. */
  readonly file: string;
  readonly sha256: string;
  /** Other parsers that read it. @defaultValue those whose files lie beside it */
  readonly parsers?: readonly Parser[];
  /** Whether a PDF without text is a paper, too. @defaultValue false */
  readonly keepsScans?: boolean;
}

interface ReadingPorts {
  readonly paperFiles: PaperFilesPort;
  readonly paperParsers: PaperParsersPort;
  readonly pdf: PdfPort;
}

/** Reads a PDF that was put into the store, unless what is kept of it was read in the same way, and keeps that. */
export function createReadPaper(
  ports: ReadingPorts,
): (input: ReadPaperInput) => Promise<{ readonly pages: number }> {
  const { paperFiles, paperParsers } = ports;
  return ({ store, file, sha256, parsers, keepsScans = false }) =>
    reportingFailures(() =>
      whileHeartbeating(async (signal) => {
        const kept = await paperFiles.kept(store, sha256);
        if (kept !== null && 'rows' in kept) return { pages: kept.rows.pages.length };
        const beside = (await paperFiles.beside(store, sha256)) ?? sha256;
        const sources = await paperParsers.find(beside, parsers);
        if (kept !== null && isReadAsWanted(kept.parsers ?? [], sources, parsers)) {
          return { pages: kept.paper.pages.length };
        }
        const pdf = await paperFiles.pdf(store, sha256);
        if (pdf === null) {
          throw new PortFailure(
            'IngestionLost',
            `${file} is no longer in store ${store}: ingest it again.`,
          );
        }
        const read = await readWithParsers(
          ports,
          { pdf, beside, named: file, keepsScans },
          sources,
          signal,
        );
        const version = extractionVersion;
        await paperFiles.keep(
          store,
          { version, file: nameOf(file), path: file, sha256, ...read },
          null,
        );
        return { pages: read.paper.pages.length };
      }),
    );
}

/**
 * What a PDF holds, with the parts that other parsers give. Throws PortFailure where one of them fails: a paper is never read
 * in another way than was asked for.
 * @param file - where the PDF is, where the files of parsers lie beside it, the path by which it was given, and whether it may have no text
 */
export async function readWithParsers(
  { paperParsers, pdf }: Pick<ReadingPorts, 'paperParsers' | 'pdf'>,
  file: {
    readonly pdf: string;
    readonly beside: string;
    readonly named: string;
    readonly keepsScans: boolean;
  },
  sources: readonly ParserSource[],
  signal: AbortSignal,
): Promise<Pick<ExtractedPaper, 'paper' | 'parsers'>> {
  let paper = await pdf.read(file.pdf, signal, {
    name: nameOf(file.named),
    keepsScans: file.keepsScans,
  });
  const applied: AppliedParser[] = [];
  for (const source of sources) {
    const parts: PaperParts = await paperParsers.read(
      source,
      source.files === null ? file.named : file.beside,
      paper.pages,
      signal,
      file.pdf,
    );
    paper = replaceParts(paper, parts);
    applied.push({ ...source, parts: Object.keys(parts) });
  }
  return { paper, ...(applied.length > 0 && { parsers: applied }) };
}

/** Of a path of any system. */
const nameOf = (path: string): string => path.split(/[\\/]/).at(-1) ?? path;

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
