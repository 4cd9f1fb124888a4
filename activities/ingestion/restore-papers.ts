import type { StoreName } from '../../domain/ids.js';
import { isRetryable } from '../../domain/failure-type.js';
import { extractionVersion } from '../../domain/stores/paper-tables.js';
import { isReadFrom } from '../../domain/stores/paper-parsers.js';
import type { LostPaper } from '../../domain/stores/store-check.js';
import type { StoredPaper } from '../../domain/stores/store-manifest.js';
import { reportingFailures, whileHeartbeating } from '../failures.js';
import { PortFailure } from '../ports/port-failure.js';
import type {
  PaperFilesPort,
  PaperParsersPort,
  PdfPort,
  StoreWriterPort,
} from '../ports/stores.js';
import { keptPaper } from './paper-source.js';
import { readWithParsers } from './read-paper.js';

interface RestoringPorts {
  readonly paperFiles: PaperFilesPort;
  readonly paperParsers: PaperParsersPort;
  readonly pdf: PdfPort;
  readonly storeWriter: StoreWriterPort;
}

interface RestoredPapers {
  /** Papers looked at; 0 beyond the last one. */
  readonly papers: number;
  readonly restored: number;
  readonly lost: readonly LostPaper[];
}

/** Restores the kept text and PDF of some papers of a store, from its copy of the PDF or from where the PDF was. */
export function createRestorePapers(
  ports: RestoringPorts,
): (input: {
  readonly store: StoreName;
  readonly offset: number;
  readonly limit: number;
}) => Promise<RestoredPapers> {
  return ({ store, offset, limit }) =>
    reportingFailures(() =>
      whileHeartbeating(async (signal) => {
        const manifest = await ports.storeWriter.manifest(store);
        const papers = manifest?.papers.slice(offset, offset + limit) ?? [];
        const lost: LostPaper[] = [];
        let restored = 0;
        for (const paper of papers) {
          signal.throwIfAborted();
          const outcome = await restorePaper(ports, store, paper, signal);
          if (outcome === 'restored') restored += 1;
          if (outcome === 'whole' || outcome === 'restored') continue;
          const { paperId, title, file } = paper;
          lost.push({ paperId, title, file, lost: outcome });
        }
        return { papers: papers.length, restored, lost };
      }),
    );
}

async function restorePaper(
  { paperFiles, paperParsers, pdf }: RestoringPorts,
  store: StoreName,
  paper: StoredPaper,
  signal: AbortSignal,
): Promise<'whole' | 'restored' | LostPaper['lost']> {
  const { file, sha256 } = paper;
  const kept = await keptPaper(paperFiles, store, sha256);
  if (paper.imported !== undefined && kept === null) return 'import';
  if (kept?.path === null) return 'whole';
  const copy = await paperFiles.pdf(store, sha256);
  const hasCopy = copy !== null && (await isPdf(paperFiles, copy, sha256));
  if (kept !== null && hasCopy) return 'whole';
  const source = hasCopy ? copy : await findPdf(paperFiles, [kept?.path, paper.path], sha256);
  if (source === null) return kept === null ? 'text' : 'pdf';
  if (kept !== null) {
    await paperFiles.keep(store, kept, source);
    return 'restored';
  }
  try {
    const path = paper.path ?? source;
    const beside = (await paperFiles.beside(store, sha256)) ?? path;
    // Other files beside the PDF would give another paper than the store has.
    const readFrom = paper.parsers ?? [];
    const found = await paperParsers.find(
      beside,
      readFrom.map(({ parser }) => parser),
    );
    if (!isReadFrom(found, readFrom)) return 'text';
    const places = { pdf: source, beside, named: path, keepsScans: true };
    const read = await readWithParsers({ paperParsers, pdf }, places, readFrom, signal);
    await paperFiles.keep(
      store,
      { version: extractionVersion, file, path, sha256, ...read },
      source,
    );
    return 'restored';
  } catch (error) {
    if (error instanceof PortFailure && !isRetryable(error.type)) return 'text';
    throw error;
  }
}

async function findPdf(
  paperFiles: PaperFilesPort,
  paths: readonly (string | undefined)[],
  sha256: string,
): Promise<string | null> {
  for (const path of paths) {
    if (path !== undefined && (await isPdf(paperFiles, path, sha256))) return path;
  }
  return null;
}

/** Whether there is a file at `path` with these bytes. */
export async function isPdf(
  paperFiles: PaperFilesPort,
  path: string,
  sha256: string,
): Promise<boolean> {
  try {
    return (await paperFiles.fingerprint(path)) === sha256;
  } catch (error) {
    if (error instanceof PortFailure && error.type === 'UnreadablePdf') return false;
    throw error;
  }
}
