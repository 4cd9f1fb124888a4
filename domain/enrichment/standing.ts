import type { Paper } from '../extraction/paper.js';
import type { Enrichment } from '../stores/paper-rows.js';
import { hashOf, itemsOf, type Item } from './items.js';
import { questionAbout, type EnrichmentJob, type Question } from './job.js';
import { readReply, type ReadReply } from './read-reply.js';
import type { EnrichmentRecord } from './record.js';
import { withScans } from './scanned-pages.js';

/** A paper with what models have said about it. */
export interface Standing {
  /** With the text of scanned pages, as far as a model has read it. */
  readonly paper: Paper;
  /** Everything that a model can be asked about, in the places of `itemsOf`. */
  readonly items: readonly (Answered | null)[];
}

export interface Answered {
  readonly item: Item;
  /** The latest reply; null if there is none. */
  readonly reply: ReadReply | null;
}

/** @param records - of the paper, in any order; those of texts that the paper does not have any more are left out */
export function standingOf(kept: Paper, records: readonly EnrichmentRecord[]): Standing {
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
  const scans = itemsOf(kept, kept).slice(0, kept.pages.length).map(answered);
  const paper = withScans(
    kept,
    scans.map((scan) => textOf(scan)),
  );
  return { paper, items: itemsOf(kept, paper).map(answered) };
}

/** Ties cannot matter to a person, but must not depend on the order of files. */
const isLater = (a: EnrichmentRecord, b: EnrichmentRecord): boolean =>
  a.endedAt === b.endedAt ? a.question > b.question : a.endedAt > b.endedAt;

const textOf = (answered: Answered | null | undefined): string | null =>
  answered?.reply?.kind === 'text' ? answered.reply.text : null;

/** A question that has no reply, and its place among the items of its paper. */
export interface OpenQuestion {
  readonly place: number;
  readonly question: Question;
}

/** What a job has still to ask about a paper. The first page is not asked about before it is read. */
export function openQuestions(
  job: EnrichmentJob,
  { items }: Standing,
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

/** What the rows of a paper get from models; null if no model has said anything that can be used. */
export function enrichmentOf({ paper, items }: Standing): Enrichment | null {
  const rest = [...items];
  const next = (count: number): readonly (string | null)[] => rest.splice(0, count).map(textOf);
  const scans = next(paper.pages.length);
  const pages = next(paper.pages.length);
  const sections = next(paper.sections.length);
  const tables = next(paper.tables.length);
  const images = next(paper.figures.length);
  const reply = rest.at(0)?.reply;
  const { tldr = null, tags = null } = reply?.kind === 'catalogued' ? reply : {};
  const said = { scans, pages, sections, tables, images, tldr, tags };
  const isEmpty = [...scans, ...pages, ...sections, ...tables, ...images, tldr].every(
    (text) => text === null,
  );
  return isEmpty ? null : { pages, sections, tables, images, tldr, tags, digest: hashOf(said) };
}
