import { z } from 'zod';
import { noAmount, sum, estimatedCost } from '../budget/amount.js';
import { sizeOf } from '../budget/call-size.js';
import { chunksOfText } from '../extraction/chunks.js';
import { jsonIn } from '../formats/json.js';
import { preview } from '../formats/text.js';
import { lackOf, lackText } from '../models/chat-message.js';
import { tokensOf } from '../models/tokens.js';
import { pageItemId } from '../stores/paper-rows.js';
import type { PaperRows } from '../stores/paper-tables.js';
import type { StoredPaper } from '../stores/store-manifest.js';
import {
  hashOf,
  isUntitled,
  itemsOf,
  longestTldr,
  mostTags,
  nothing,
  questionAbout,
  countedRequest,
  type Item,
  type EnrichmentKind,
  type EnrichmentJob,
  type Question,
  type EnrichmentRecord,
} from './job.js';

/** A paper with what models have said about it. */
export interface AskedPaper {
  /** With the text of scanned pages, as far as a model has read it, and without anything else that a model has said. */
  readonly rows: PaperRows;
  /** Everything that a model can be asked about, in the places of `itemsOf`. */
  readonly items: readonly (Answered | null)[];
}

interface Answered {
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
interface OpenQuestion {
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
      pages: filled(pages, 'page_summary', said.pages),
      sections: filled(sections, 'section_summary', said.sections),
      tables: filled(tables, 'table_summary', said.tables),
      images: filled(images, 'image_summary', said.images),
    },
  };
}

/** Rows with texts in a column. @param texts - by row; null where there is none */
const filled = <Row>(
  rows: readonly Row[],
  column: keyof Row,
  texts: readonly (string | null)[],
): readonly Row[] => rows.map((row, index) => ({ ...row, [column]: texts[index] ?? row[column] }));

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

/** The main point of a paper and terms for it. */
interface Catalogued {
  /** Of at most 80 characters. */
  readonly tldr: string;
  /** At most five. */
  readonly tags: readonly string[];
  /** As the model found it on the first page; null where it was given one, or found none. */
  readonly title: string | null;
}

/** What a reply says: a text, the entry of a catalogue, nothing, or something that cannot be used. */
type ReadReply =
  | { readonly kind: 'text'; readonly text: string }
  | ({ readonly kind: 'catalogued' } & Catalogued)
  | { readonly kind: 'nothing' }
  | { readonly kind: 'unusable'; readonly reason: string };

/** Reads the reply about an item. One that ended at the token limit is not used: nobody knows what is missing. */
export function readReply(kind: EnrichmentKind, reply: Parameters<typeof lackOf>[0]): ReadReply {
  const lack = lackOf(reply);
  if (lack !== null) return { kind: 'unusable', reason: lackText[lack] };
  if (reply.cutOff) return { kind: 'unusable', reason: 'the reply ended at the token limit' };
  const text = withoutFence(reply.raw);
  if (text === '' || text.replace(/\.$/, '').toUpperCase() === nothing) return { kind: 'nothing' };
  if (kind === 'metadata') return readCatalogued(text);
  return { kind: 'text', text: kind === 'scans' ? text : oneLine(text) };
}

const cataloguedSchema = z.object({
  tldr: z.string(),
  tags: z.array(z.string()),
  title: z.string().nullable().default(null),
});

function readCatalogued(text: string): ReadReply {
  const json = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1);
  const parsed = cataloguedSchema.safeParse(jsonIn(json));
  if (!parsed.success) {
    return { kind: 'unusable', reason: 'the reply has no JSON object with tldr and tags' };
  }
  const tags = parsed.data.tags.map(oneLine).filter((tag) => tag !== '');
  return {
    kind: 'catalogued',
    tldr: preview(parsed.data.tldr, longestTldr),
    tags: [...new Set(tags)].slice(0, mostTags),
    title: oneLine(parsed.data.title ?? '') || null,
  };
}

/** Without the code fence that models put around whole replies. */
const withoutFence = (raw: string): string =>
  /^```\w*\n(.*)\n```$/s.exec(raw.trim())?.[1]?.trim() ?? raw.trim();

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/**
 * The rows of a paper with the texts that a model has read from pictures of its pages, and their chunks, cut as those of other pages.
 * @param texts - by page; null where there is none
 */
function withScans(rows: PaperRows, texts: readonly (string | null)[]): PaperRows {
  if (texts.every((text) => text === null)) return rows;
  const pages = filled(rows.pages, 'page_content', texts);
  const chunks = pages.flatMap(({ page_id, page_number, ref_paper_id }, index) => {
    const ofPage = rows.chunks.filter(({ ref_page_id }) => ref_page_id === page_id);
    const text = texts[index] ?? null;
    if (text === null || ref_paper_id === null) return ofPage;
    const page = page_number ?? index + 1;
    return chunksOfText({ text, pageAt: () => page }, null).map((chunk, ordinal) => ({
      chunk_id: pageItemId(ref_paper_id, page, 'chunk', ordinal + 1),
      text_content: chunk.text,
      ordinal,
      ref_paper_id,
      ref_page_id: page_id,
    }));
  });
  const placed = new Set(pages.map(({ page_id }) => page_id));
  const others = rows.chunks.filter(({ ref_page_id }) => !placed.has(ref_page_id));
  return { ...rows, pages, chunks: [...chunks, ...others] };
}

/** What the calls of a job will take. */
export interface EnrichmentForecast {
  readonly papers: number;
  /** Calls by what they are about. The summaries of scanned pages come on top of them. */
  readonly kinds: Readonly<Partial<Record<EnrichmentKind, number>>>;
  readonly calls: number;
  readonly promptTokens: number;
  /** If every reply had the most tokens that it may have. Null if a price is unknown. */
  readonly mostUsd: number | null;
  readonly mostTokens: number;
  /** Whether some of the papers stand for all. */
  readonly isEstimate: boolean;
}

/** @param some - papers of the job, evenly chosen: they stand for all */
export function enrichmentForecast(
  job: EnrichmentJob,
  some: readonly { readonly asked: AskedPaper; readonly records: readonly EnrichmentRecord[] }[],
): EnrichmentForecast {
  const times = some.length === 0 ? 0 : job.papers.length / some.length;
  const calls = some
    .flatMap(({ asked, records }) => openQuestions(job, asked, records))
    .map(({ question }) => ({
      kind: question.item.kind,
      request: countedRequest(question),
    }));
  const kinds: Partial<Record<EnrichmentKind, number>> = {};
  for (const { kind } of calls) kinds[kind] = (kinds[kind] ?? 0) + 1;
  const scaled = Object.entries(kinds).map(([kind, calls]) => [kind, Math.round(calls * times)]);
  const most = sum([noAmount, ...calls.map(({ request }) => estimatedCost(sizeOf(request)))]);
  const prompts = calls.flatMap(({ request }) => request.messages.map(tokensOf));
  return {
    papers: job.papers.length,
    kinds: Object.fromEntries(scaled) as EnrichmentForecast['kinds'], // the same keys
    calls: Math.round(calls.length * times),
    promptTokens: Math.round(prompts.reduce((total, tokens) => total + tokens, 0) * times),
    mostUsd: calls.some(({ request }) => request.price === null) ? null : most.usd * times,
    mostTokens: Math.round(most.tokens * times),
    isEstimate: some.length < job.papers.length,
  };
}
