import type { StoreName } from '../../domain/ids.js';
import type { EnrichmentRecord } from '../../domain/enrichment/job.js';
import { enrichedRows, askedPaper, type AskedPaper } from '../../domain/enrichment/asked-paper.js';
import { paperRows } from '../../domain/stores/paper-rows.js';
import type { PaperRows, KeptPaper } from '../../domain/stores/paper-tables.js';
import { noRows } from '../../domain/stores/store-check.js';
import type { StoredPaper } from '../../domain/stores/store-manifest.js';
import type { EnrichmentPort } from '../ports/enrichment.js';
import { whileHeartbeating } from '../failures.js';
import { PortFailure } from '../ports/port-failure.js';
import type { StoreContentsPort } from '../ports/store-contents.js';
import type { PaperFilesPort } from '../ports/stores.js';

export interface DerivedPaper {
  readonly stored: StoredPaper;
  readonly rows: PaperRows;
}

/** The rows of a paper that has been read. Throws PortFailure('StoreMissing') if its text is lost. */
export type PaperSource = (
  paper: Pick<StoredPaper, 'sha256'> | StoredPaper,
) => Promise<DerivedPaper>;

export interface SourcePorts {
  readonly contents: StoreContentsPort;
  readonly enrichment: EnrichmentPort;
  readonly paperFiles: PaperFilesPort;
}

/**
 * Runs an activity over the rows of papers.
 * @param keepsRows - a paper whose text is lost keeps the rows it has in the store, if any
 */
export const withPaperSource = <T>(
  { contents, ...ports }: SourcePorts,
  store: StoreName,
  keepsRows: boolean,
  work: (source: PaperSource, signal: AbortSignal) => Promise<T>,
): Promise<T> =>
  whileHeartbeating(async (signal) => {
    const derive: (...paper: Parameters<PaperSource>) => Promise<DerivedPaper | null> = async (
      paper,
    ) => {
      const known = await knownPaper(ports, store, paper.sha256);
      return known && derivedPaper(known, 'paperId' in paper ? paper : undefined);
    };
    if (!keepsRows) {
      return work(async (paper) => (await derive(paper)) ?? refuse(store, paper.sha256), signal);
    }
    const tables = await contents.tables(store);
    const stored = 'rows' in tables ? tables : null;
    try {
      return await work(async (paper) => {
        const derived = await derive(paper);
        if (derived !== null) return derived;
        if (!('paperId' in paper)) return refuse(store, paper.sha256);
        const rows = (await stored?.rows([paper.paperId]))?.get(paper.paperId);
        return { stored: paper, rows: rows ?? noRows };
      }, signal);
    } finally {
      stored?.close();
    }
  });

/** What is kept of a PDF; null if it is missing, damaged, or was read by another version of the extraction. */
export async function keptPaper(
  paperFiles: PaperFilesPort,
  store: StoreName,
  sha256: string,
): Promise<KeptPaper | null> {
  const kept = await paperFiles.kept(store, sha256);
  return kept?.sha256 === sha256 ? kept : null;
}

/** What is read from a PDF, and what models have said about it. */
interface KnownPaper {
  readonly kept: KeptPaper;
  readonly records: readonly EnrichmentRecord[];
}

/** Null if the text of the paper is lost. */
export async function knownPaper(
  { enrichment, paperFiles }: Pick<SourcePorts, 'enrichment' | 'paperFiles'>,
  store: StoreName,
  sha256: string,
): Promise<KnownPaper | null> {
  const kept = await keptPaper(paperFiles, store, sha256);
  return kept && { kept, records: await enrichment.records(store, sha256) };
}

/** What models can be asked about the paper, and have said. `held` as in `derivedPaper`. */
export const askedPaperOf = (
  { kept, records }: KnownPaper,
  held?: Pick<StoredPaper, 'paperId'>,
): AskedPaper => askedPaper(paperRows(kept, held?.paperId), kept.path !== null, records);

/** @param held - the paper as its store holds it. @defaultValue a new one, with the id of its title */
export function derivedPaper(
  { kept, records }: KnownPaper,
  held?: Pick<StoredPaper, 'paperId'>,
): DerivedPaper {
  const { rows, enrichment } =
    records.length === 0
      ? { rows: paperRows(kept, held?.paperId), enrichment: null }
      : enrichedRows(askedPaperOf({ kept, records }, held));
  const [metadata] = rows.metadata;
  if (!metadata?.paper_id) throw new Error(`${kept.file} became rows without metadata.`);
  const { paper_id: paperId, title } = metadata;
  const { file, path, sha256 } = kept;
  const stored = { paperId, title: title ?? '', file, sha256, pages: rows.pages.length };
  return {
    stored: {
      ...stored,
      ...(path === null ? {} : { path }),
      ...('rows' in kept
        ? { imported: { hasPdf: path !== null } }
        : kept.parsers && { parsers: kept.parsers }),
      ...(enrichment && { enrichment }),
    },
    rows,
  };
}

function refuse(store: StoreName, sha256: string): never {
  throw new PortFailure(
    'StoreMissing',
    `Store ${store} has lost what it read from the PDF with SHA-256 ${sha256}: ingest that PDF again, or mend the store with \`turnwise store check ${store} --repair\`.`,
  );
}

/** Holds one paper in memory at a time. */
export async function* rowsOfPapers(
  source: PaperSource,
  papers: readonly StoredPaper[],
  signal: AbortSignal,
): AsyncGenerator<DerivedPaper> {
  for (const paper of papers) {
    signal.throwIfAborted();
    yield await source(paper);
  }
}
