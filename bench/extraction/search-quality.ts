import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SearchPort, TablesPort } from '../../activities/ports/tools.js';
import { packageRoot } from '../../client/services/programs.js';
import type { SearchHit } from '../../domain/agent/observations/vector-search.js';
import { readDataset } from '../../domain/runs/dataset.js';
import type { DatasetItem } from '../../domain/scoring/dataset-item.js';
import { createDuckdbTables } from '../../worker/adapters/duckdb/tables.js';
import { connectMilvus } from '../../worker/adapters/milvus/client.js';
import { createMilvusSearch } from '../../worker/adapters/milvus/search.js';
import { localEmbedders, type ExampleStore } from '../example-store.js';
import type { Row } from './report.js';
import { openStorePlace } from '../../storage/stores/store-place.js';

const limit = 5;
const timeoutMs = 60_000;

/** What is searched, as filters of Milvus. */
const scopes: Readonly<Record<string, string>> = {
  'all cells': '',
  'without sections': "table_name != 'sections'",
  'without tables': "table_name != 'tables'",
  'without captions': "column_name not in ['table_caption', 'image_caption']",
  'without references': "table_name != 'reference'",
  'chunks alone': "table_name == 'chunks'",
};

/**
 * How often the first five hits of a collection answer a question of the examples, asked as it stands: the hits in the papers
 * that the question is about have all parts of its answer in their texts or, where it asks for a paper, are in that paper.
 * Questions about metadata, and those whose answer is a truth value or a single digit, which any text may have, are left out.
 */
export async function searchQuality({
  environment,
  milvusAddress,
  manifest,
}: ExampleStore): Promise<readonly Row[]> {
  const place = openStorePlace(environment);
  const embedders = localEmbedders();
  const milvus = connectMilvus({ address: milvusAddress });
  const tables = createDuckdbTables(place);
  const search = createMilvusSearch({ milvus, embedders, generations: place.generations });
  const titles = new Map(manifest.papers.map(({ paperId, title }) => [paperId, title]));
  const asked = exampleQuestions().flatMap((question) => wantedOf(question) ?? []);
  const rows: Row[] = [];
  try {
    for (const { name } of manifest.collections) {
      for (const [scope, filter] of Object.entries(scopes)) {
        let answered = 0;
        for (const wanted of asked) {
          const hits = await hitsOf(search, name, filter, wanted.question);
          if (await answers(hits, wanted)) answered += 1;
        }
        rows.push({
          name: `hit@${limit} in ${name}, ${scope}`,
          papers: manifest.papers.length,
          items: asked.length,
          value: answered / asked.length,
          aim: null,
        });
      }
    }
    return rows;
  } finally {
    tables.close();
    await milvus.close();
  }

  async function hitsOf(
    { search: find }: SearchPort,
    collection: string,
    filter: string,
    query: string,
  ): Promise<readonly SearchHit[]> {
    const outcome = await find(
      { store: manifest.name, collection, filter, query, limit, timeoutMs },
      AbortSignal.timeout(timeoutMs),
    );
    if (outcome.kind !== 'hits') throw new Error(`${query}: ${JSON.stringify(outcome)}`);
    return outcome.hits;
  }

  async function answers(hits: readonly SearchHit[], wanted: Wanted): Promise<boolean> {
    if (wanted.papers.length === 0) {
      return hits.some(({ pdfId }) => wanted.answer.includes(titles.get(pdfId) ?? ''));
    }
    const inPapers = hits.filter(({ pdfId }) => wanted.papers.includes(pdfId));
    const texts = await Promise.all(inPapers.map((hit) => textOf(tables, hit)));
    return wanted.answer.every((part) => texts.some((text) => holds(text, part)));
  }

  async function textOf(
    { texts }: TablesPort,
    { tableName, columnName, primaryKey }: SearchHit,
  ): Promise<string> {
    const found = await texts(
      { store: manifest.name, tableName, columnName, primaryKeys: [primaryKey] },
      AbortSignal.timeout(timeoutMs),
    );
    return found.get(primaryKey) ?? '';
  }
}

interface Wanted {
  readonly question: string;
  /** Ids of the papers that the question is about; empty where it asks for a paper. */
  readonly papers: readonly string[];
  readonly answer: readonly string[];
}

function exampleQuestions(): readonly DatasetItem[] {
  const text = readFileSync(join(packageRoot, 'examples', 'questions.jsonl'), 'utf8');
  const dataset = readDataset(text);
  if (dataset.kind !== 'items') throw new Error('The example questions cannot be read.');
  return dataset.items;
}

/** What the hits of a search for the question must have; null if they cannot tell. */
export function wantedOf({
  question,
  tags,
  anchor_pdf: papers,
  evaluator,
}: DatasetItem): Wanted | null {
  const answer = leavesOf(evaluator?.eval_kwargs['gold']);
  const isTelling = answer.some((part) => part.length > 1);
  if (tags.includes('metadata') || !isTelling) return null;
  return { question, papers, answer };
}

function leavesOf(gold: unknown): readonly string[] {
  if (typeof gold === 'string' || typeof gold === 'number') return [String(gold)];
  if (typeof gold === 'object' && gold !== null) return Object.values(gold).flatMap(leavesOf);
  return [];
}

/** Whether a text holds a word or number by itself, in any case and with or without commas in numbers. */
export function holds(text: string, part: string): boolean {
  const plain = (of: string): string => of.toLowerCase().replaceAll(/(?<=\d),(?=\d{3})/g, '');
  const literal = plain(part).replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}.])${literal}(?![\\p{L}\\p{N}]|\\.\\d)`, 'u').test(
    plain(text),
  );
}
