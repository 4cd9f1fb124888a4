import { z } from 'zod';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../client/services/programs.js';
import { hashingName, miniLmName } from '../../domain/embedders.js';
import { extractPaper } from '../../domain/extraction/extract-paper.js';
import { readJsonLines } from '../../domain/formats/json-lines.js';
import { mean } from '../../domain/statistics/means.js';
import { bm25Encoder, newCorpus, type Bm25, type SparseVector } from '../../domain/stores/bm25.js';
import { splitIntoParts, encodableCells } from '../../domain/stores/database-schema.js';
import { fusedDepth, fuseHits } from '../../domain/stores/vectorstore-schema.js';
import { paperId, rowsUnderId } from '../../domain/stores/paper-rows.js';
import { readPdf } from '../../worker/adapters/pdfium/document.js';
import { atLeast, markdownTable, problemsOf, type Benchmark } from '../benchmark.js';
import { localEmbedders } from '../example-store.js';

export const retrievalBenchmark: Benchmark = {
  summary:
    'how often searches find the passages that answer paraphrased questions; --papers FOLDER with the PDFs of bench/retrieval/questions.jsonl',
  run: measureRetrieval,
};

const questionSchema = z.object({ paper: z.string(), question: z.string(), phrase: z.string() });

/** All questions are asked of the passages of all papers: by the cosine of vectors, by BM25, and by both fused. */
async function measureRetrieval(
  ...[log, { papers: folder = '.' }]: Parameters<Benchmark['run']>
): ReturnType<Benchmark['run']> {
  const path = join(packageRoot, 'bench', 'retrieval', 'questions.jsonl');
  const read = readJsonLines(readFileSync(path, 'utf8'), questionSchema);
  const questions = read.lines.map(({ value }) => value);
  const papers = [...new Set(questions.map(({ paper }) => paper))];
  const { passages, corpus } = await readPassages(folder, papers);
  log(`${papers.length} papers, ${passages.length} passages, ${questions.length} questions`);
  const lost = questions.filter((wanted) => !passages.some((passage) => answers(passage, wanted)));
  if (lost.length > 0) {
    const problems = lost.map(({ paper, phrase }) => `no passage of ${paper} has: ${phrase}`);
    return { tables: [], figures: [], problems };
  }
  const asked = questions.map(({ question }) => question);
  const hashing = await denseHits(hashingName, passages, asked);
  const words = sparseHits(corpus.fit(), passages, asked);
  log(`embedding by ${miniLmName}`);
  const meaning = await denseHits(miniLmName, passages, asked);
  const fused = asked.map((_, at) => fuseHits([words[at] ?? [], meaning[at] ?? []], fusedDepth));
  const figures = Object.entries({ hashing, BM25: words, MiniLM: meaning, fused }).map(
    ([search, hits]) => ({
      search,
      ...qualityOf(questions.map((wanted, index) => rankOf(hits[index] ?? [], wanted))),
    }),
  );
  const [, bm25 = 0, miniLm = 0, both = 0] = figures.map(({ hit5 }) => hit5);
  const rows = figures.map(({ search, hit1, hit5, mrr10 }) => [
    search,
    ...[hit1, hit5, mrr10].map((share) => share.toFixed(3)),
  ]);
  return {
    tables: [markdownTable(['', 'hit@1', 'hit@5', 'MRR@10'], rows)],
    figures,
    problems: problemsOf([atLeast('hit@5 of fused search', both, Math.max(bm25, miniLm))]),
  };
}

type Text = Entry<string>['passage'];

/** The passages of a store with these papers, and its pages, to which BM25 is fitted. */
async function readPassages(folder: string, papers: readonly string[]) {
  const passages: Text[] = [];
  const corpus = newCorpus();
  for (const paper of papers.filter((each) => existsSync(join(folder, each)))) {
    const reading = await readPdf(readFileSync(join(folder, paper)));
    if (reading.kind === 'unreadable') throw new Error(`${paper} cannot be read`);
    const rows = rowsUnderId(paperId(paper), paper, extractPaper(reading.content));
    for (const { page_content } of rows.pages) corpus.add(page_content ?? '');
    for (const { table, column, primaryKey, text } of encodableCells(rows)) {
      const place = { tableName: table, columnName: column, primaryKey };
      if (table === 'chunks') passages.push({ paper, text, ...place });
    }
  }
  return { passages, corpus };
}

/** The hits of each question. A long passage has a vector for each of its parts. */
async function denseHits(
  embedder: string,
  passages: readonly Text[],
  questions: readonly string[],
): Promise<readonly (readonly Passage[])[]> {
  const parts = passages.flatMap((passage) =>
    splitIntoParts(passage.text).map((text) => ({ passage, text })),
  );
  const { embed } = localEmbedders()(embedder);
  const vectors = await embed(
    [...parts.map(({ text }) => text), ...questions],
    new AbortController().signal,
  );
  const entries = parts.map(({ passage }, index) => ({ passage, vector: vectors[index] ?? [] }));
  return vectors
    .slice(parts.length)
    .map((asked) => nearest(entries, (vector) => dot(vector, asked), fusedDepth));
}

/** The cosine of vectors of length 1. */
const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);

function sparseHits(model: Bm25, passages: readonly Text[], questions: readonly string[]) {
  const encoder = bm25Encoder(model);
  const entries = passages.map((passage) => ({ passage, vector: encoder.document(passage.text) }));
  const scoreOf = (asked: SparseVector) => (vector: SparseVector) =>
    [...asked].reduce((sum, [term, weight]) => sum + weight * (vector.get(term) ?? 0), 0);
  return questions.map((asked) => nearest(entries, scoreOf(encoder.search(asked)), fusedDepth));
}

/** A passage of a paper, as a search finds it. */
interface Passage extends Readonly<Record<'tableName' | 'columnName' | 'primaryKey', string>> {
  readonly paper: string;
  readonly text: string;
  readonly score: number;
}

/** The PDF that answers a question, and words of the passage that does. */
type Wanted = Readonly<Record<'paper' | 'phrase', string>>;

/** What is compared with a query, and the passage that it is a part of. */
interface Entry<Vector> {
  readonly passage: Omit<Passage, 'score'>;
  readonly vector: Vector;
}

/** At most `limit` passages that score highest above 0, the best first, each once with the score of its best part. */
export function nearest<Vector>(
  entries: readonly Entry<Vector>[],
  scoreOf: (vector: Vector) => number,
  limit: number,
): readonly Passage[] {
  const best = new Map<string, Passage>();
  for (const { passage, vector } of entries) {
    const score = scoreOf(vector);
    if (score > (best.get(passage.primaryKey)?.score ?? 0)) {
      best.set(passage.primaryKey, { ...passage, score });
    }
  }
  return [...best.values()].sort((a, b) => b.score - a.score).slice(0, limit);
}

/** Whether a passage is the one that answers a question, however its white space is laid out. */
export const answers = (
  { paper, text }: Pick<Passage, 'paper' | 'text'>,
  wanted: Wanted,
): boolean => paper === wanted.paper && text.replaceAll(/\s+/g, ' ').includes(wanted.phrase);

/** The rank, from 1, of the first passage that answers a question; Infinity where none does. */
export function rankOf(hits: readonly Passage[], wanted: Wanted): number {
  const index = hits.findIndex((hit) => answers(hit, wanted));
  return index === -1 ? Infinity : index + 1;
}

/** Shares from 0 to 1, and the mean of 1 / rank with ranks above 10 as 0. @param ranks - of each question, at least one */
export const qualityOf = (
  ranks: readonly number[],
): Readonly<Record<'hit1' | 'hit5' | 'mrr10', number>> => ({
  hit1: mean(ranks.map((rank) => Number(rank <= 1))),
  hit5: mean(ranks.map((rank) => Number(rank <= 5))),
  mrr10: mean(ranks.map((rank) => (rank <= 10 ? 1 / rank : 0))),
});
