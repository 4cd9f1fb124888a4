import type { PaperRows } from '../stores/paper-tables.js';
import type { StoredPaper } from '../stores/store-manifest.js';
import { hashOf, isUntitled, itemsOf, type Item } from './items.js';
import { questionAbout, type EnrichmentJob, type Question } from './job.js';
import { readReply, type ReadReply } from './read-reply.js';
import type { EnrichmentRecord } from './record.js';
import { withScans } from './scanned-pages.js';

/** A paper with what models have said about it. */
export interface AskedPaper {
  /** With the text of scanned pages, as far as a model has read it, and without anything else that a model has said. */
  readonly rows: PaperRows;
  /** Everything that a model can be asked about, in the places of `itemsOf`. */
  readonly items: readonly (Answered | null)[];
}

export interface Answered {
  readonly item: Item;
  /** The latest reply; null if there is none. */
  readonly reply: ReadReply | null;
}

/**
 * @param read - the rows of the paper, as they are without models
 * @param records - about the paper, in any order; those about texts that it does not have any more are left out
 */
export function askedPaper(
  read: PaperRows,
  hasPdf: boolean,
  records: readonly EnrichmentRecord[],
): AskedPaper {
  const latest = new Map<string, EnrichmentRecord>();
  for (const record of records) {
    const other = latest.get(record.item);
    if (other === undefined || isLater(record, other)) latest.set(record.item, record);
  }
  const answered = (item: Item | null): Answered | null => {
    if (item === null) return null;
    const record = latest.get(item.key);
    return { item, reply: record === undefined ? null : readReply(record.about, record) };
  };
  const isScan = read.pages.map(({ page_content }) => (page_content ?? '').trim() === '');
  const scans = itemsOf({ rows: read, isScan, hasPdf }).slice(0, read.pages.length).map(answered);
  const rows = withScans(read, scans.map(textOf));
  return { rows, items: itemsOf({ rows, isScan, hasPdf }).map(answered) };
}

/** Ties cannot matter to a person, but must not depend on the order of files. */
const isLater = (a: EnrichmentRecord, b: EnrichmentRecord): boolean =>
  a.endedAt === b.endedAt ? a.question > b.question : a.endedAt > b.endedAt;

const textOf = (answered: Answered | null): string | null =>
  answered?.reply?.kind === 'text' ? answered.reply.text : null;

/** A question that has no reply, and its place among the items of its paper. */
export interface OpenQuestion {
  readonly place: number;
  readonly question: Question;
}

/** What a job has still to ask about a paper. The first page is not asked about before it is read. */
export function openQuestions(
  job: EnrichmentJob,
  { items }: AskedPaper,
  records: readonly EnrichmentRecord[],
): readonly OpenQuestion[] {
  const known = new Set(records.map(({ question }) => question));
  const open = items.flatMap((answered, place): readonly OpenQuestion[] => {
    const question = answered && questionAbout(answered.item, job);
    return question === null || known.has(question.key) ? [] : [{ place, question }];
  });
  const isFirstOpen = open.some(
    ({ place, question }) => place === 0 && question.item.kind === 'scans',
  );
  return isFirstOpen ? open.filter(({ question }) => question.item.kind !== 'metadata') : open;
}

/** The rows of a paper with what models have said. `enrichment` is null if they have said nothing that can be used. */
export function enrichedRows({ rows, items }: AskedPaper): {
  readonly rows: PaperRows;
  readonly enrichment: NonNullable<StoredPaper['enrichment']> | null;
} {
  const rest = items.map((answered) => answered?.reply ?? null);
  const next = (table: readonly unknown[]): readonly (string | null)[] =>
    rest.splice(0, table.length).map((reply) => (reply?.kind === 'text' ? reply.text : null));
  const said = {
    scans: next(rows.pages),
    pages: next(rows.pages),
    sections: next(rows.sections),
    tables: next(rows.tables),
    images: next(rows.images),
    metadata: rest.map((reply) => (reply?.kind === 'catalogued' ? reply : null)),
  };
  if (Object.values(said).every((list) => list.every((each) => each === null))) {
    return { rows, enrichment: null };
  }
  const { metadata, pages, sections, tables, images } = rows;
  return {
    enrichment: {
      digest: hashOf(said),
      readByModel: said.scans.flatMap((text, index) =>
        text === null ? [] : [pages[index]?.page_number ?? index + 1],
      ),
    },
    rows: {
      ...rows,
      metadata: metadata.map((row, index) => ({
        ...row,
        title: titleOf(row, said.metadata[index]?.title ?? null, rows),
        tldr: said.metadata[index]?.tldr ?? row.tldr,
        tags: said.metadata[index]?.tags ?? row.tags,
      })),
      pages: pages.map((row, index) => ({
        ...row,
        page_summary: said.pages[index] ?? row.page_summary,
      })),
      sections: sections.map((row, index) => ({
        ...row,
        section_summary: said.sections[index] ?? row.section_summary,
      })),
      tables: tables.map((row, index) => ({
        ...row,
        table_summary: said.tables[index] ?? row.table_summary,
      })),
      images: images.map((row, index) => ({
        ...row,
        image_summary: said.images[index] ?? row.image_summary,
      })),
    },
  };
}

/** A model's title is taken only where the paper has none, and the first page prints it. */
function titleOf(
  row: PaperRows['metadata'][number],
  found: string | null,
  { pages }: PaperRows,
): string | null {
  if (found === null || !isUntitled(row)) return row.title;
  const isPrinted = letters(pages[0]?.page_content ?? '').includes(letters(found));
  return isPrinted && letters(found) !== '' ? found : row.title;
}

const letters = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
