import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import type { Row } from '../../../simulator/script.js';
import { paperRows } from '../../../domain/stores/paper-rows.js';
import type { PaperRows } from '../../../domain/stores/paper-tables.js';
import { extractPaper } from '../../../domain/extraction/extract-paper.js';
import type { PdfContent } from '../../../domain/extraction/page-content.js';
import { writeTables } from '../../../worker/adapters/duckdb/tables-file.js';
import { readRows } from '../../../worker/adapters/duckdb/rows.js';
import { hashingEmbedder } from '../../../worker/adapters/embedders.js';
import { readPdf } from '../../../worker/adapters/pdfium/document.js';

export const examples = fileURLToPath(new URL('../../../examples', import.meta.url));

export interface ExamplePaper {
  readonly file: string;
  readonly content: PdfContent;
  readonly rows: PaperRows;
}

/** What an agent could ask of the example papers. `query` rejects with DuckDB's own message. */
export interface ExampleLibrary {
  readonly query: (sql: string) => Promise<readonly Row[]>;
  readonly search: (query: string, limit: number) => Promise<readonly Row[]>;
  readonly close: () => void;
}

export async function readExamplePapers(): Promise<readonly ExamplePaper[]> {
  const folder = join(examples, 'papers');
  const files = readdirSync(folder).filter((file) => file.endsWith('.pdf'));
  return Promise.all(
    files.sort().map(async (file) => {
      const bytes = readFileSync(join(folder, file));
      const reading = await readPdf(bytes);
      if (reading.kind === 'unreadable') throw new Error(`${file} ${reading.reason}`);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const { content } = reading;
      const paper = extractPaper(content);
      return { file, content, rows: paperRows({ file, sha256, paper }) };
    }),
  );
}

/** The tables as an ingestion makes them; searches compare all chunks in memory instead of asking Milvus. */
export async function openExampleLibrary(papers: readonly ExamplePaper[]): Promise<ExampleLibrary> {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-examples-'));
  const path = join(folder, 'examples.duckdb');
  await writeTables(path, rowsOf(papers));
  const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();

  const query = async (sql: string): Promise<readonly Row[]> => {
    const { columns, rows } = await readRows(await connection.stream(sql), 10);
    return rows.map((cells) =>
      Object.fromEntries(columns.map(({ name }, index) => [name, cells[index] ?? null])),
    );
  };
  const chunks = papers.flatMap(({ rows }) => rows.chunks);
  const vectors = await embed(chunks.map((chunk) => chunk.text_content ?? ''));

  return {
    query,
    search: async (text, limit) => {
      const [wanted = []] = await embed([text]);
      return chunks
        .map((chunk, index) => ({
          score: dot(wanted, vectors[index] ?? []),
          pdf_id: chunk.ref_paper_id,
          primary_key: chunk.chunk_id,
          text: chunk.text_content,
        }))
        .sort((a, b) => b.score - a.score)
        .slice(0, limit);
    },
    close: () => {
      connection.closeSync();
      instance.closeSync();
      rmSync(folder, { recursive: true });
    },
  };
}

async function* rowsOf(papers: readonly ExamplePaper[]): AsyncGenerator<PaperRows> {
  for (const { rows } of papers) yield await Promise.resolve(rows);
}

const embed = (texts: readonly string[]): Promise<readonly (readonly number[])[]> =>
  hashingEmbedder.embed(texts, new AbortController().signal);

const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
