import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../client/services/programs.js';
import { extractPaper } from '../../domain/extraction/extract-paper.js';
import { readPdf } from '../../worker/adapters/pdfium/document.js';
import { shareCompiledPdfium } from '../../worker/adapters/pdfium/module.js';
import type { Benchmark, BenchmarkOptions, Findings, Log } from '../benchmark.js';
import { ingestionAim, ingestRealPapers } from '../ingest.js';
import { measures } from './measures.js';
import { bareText, measurePaper, papersIn, type PaperFile } from './papers.js';
import {
  findingsOf,
  rowsOf,
  worstPapers,
  type PaperScore,
  type Result,
  type Row,
} from './report.js';
import { scoreTablesIn } from './table-cells.js';

export const extractionBenchmark: Benchmark = {
  summary:
    'what is found in PDFs against their sources; --papers FOLDER, --tables FOLDER, --only MEASURE, --paper NAME, --worst',
  run: measureExtraction,
};

async function measureExtraction(
  log: Log,
  { papers, tables, only = '', paper = '', worst = false }: BenchmarkOptions,
): Promise<Findings> {
  // With tables alone, the example papers are not asked for.
  const folder = papers ?? (tables === undefined ? join(packageRoot, 'examples', 'papers') : null);
  const files = folder === null ? [] : papersIn(folder, paper);
  const results = [...(await scoreFiles(files, papers === undefined, only, log))];
  if (tables !== undefined && tableCells.name.startsWith(only)) {
    results.push({ ...tableCells, scores: await scoreTablesIn(tables, paper) });
  }
  const rows = results.flatMap(rowsOf);
  if ('speed'.startsWith(only)) {
    if (files.length > 0) rows.push(...(await measureSpeed(files)));
    // With engines, and for the papers of a user's own only.
    if (papers !== undefined) rows.push(await measureIngestion(papers, log));
  }
  return findingsOf(rows, worst ? results.flatMap(worstPapers) : []);
}

const tableCells: Omit<Result, 'scores'> = {
  name: 'table cells, adjacency F1',
  aims: { recall: 0.9, precision: 0.85 },
  as: 'F1',
};

/** Every measure of every paper. The example papers have higher aims, since they were made for them. */
async function scoreFiles(
  files: readonly PaperFile[],
  examples: boolean,
  only: string,
  log: Log,
): Promise<readonly Result[]> {
  const wanted = measures.filter(
    ({ name, examplesOnly }) => name.startsWith(only) && (examples || examplesOnly !== true),
  );
  const scores = new Map(wanted.map(({ name }) => [name, [] as PaperScore[]]));
  if (wanted.length === 0) return [];
  for (const file of files) {
    const measured = await measurePaper(file);
    if (measured === null) log(`${file.name} cannot be read`);
    else {
      for (const { name, score: scoreOf } of wanted) {
        const score = scoreOf(measured);
        if (score !== null) scores.get(name)?.push({ paper: file.name, score });
      }
    }
  }
  const sources = files.filter(({ source }) => source !== null).length;
  log(`${files.length} papers, ${sources} of them with a source`);
  return wanted.map(({ name, aims, exampleAims = { recall: 0.98 }, as }) => ({
    name,
    aims: examples ? exampleAims : aims,
    ...(as !== undefined && { as }),
    scores: scores.get(name) ?? [],
  }));
}

/** Papers for a stable figure. */
const mostPapers = 12;
/** The first one lets V8 compile PDFium's functions. Of the others the fastest counts, which other load on the machine has met least. */
const rounds = 4;

/**
 * Pages a second in one thread, with a PDFium that is started, as shares of what PDFium needs for the bare text. Measures papers
 * from all over the list, each in all ways by turns.
 */
async function measureSpeed(files: readonly PaperFile[]): Promise<readonly Row[]> {
  const step = Math.max(1, Math.ceil(files.length / mostPapers));
  const chosen = files.filter((_, index) => index % step === 0);
  // As threads of an ingestion have it: V8 goes on compiling what is used often.
  await shareCompiledPdfium();
  const ways = {
    bare: bareText,
    reader: readPdf,
    whole: async (bytes: Uint8Array) => {
      const reading = await readPdf(bytes);
      if (reading.kind === 'read') extractPaper(reading.content);
    },
  };
  const totals = { bare: 0, reader: 0, whole: 0 };
  let pages = 0;
  for (const { pdf } of chosen) {
    const bytes = readFileSync(pdf);
    const fastest = { bare: Infinity, reader: Infinity, whole: Infinity };
    for (let round = 0; round < rounds; round += 1) {
      for (const way of ['bare', 'reader', 'whole'] as const) {
        const start = performance.now();
        await ways[way](bytes);
        if (round > 0) fastest[way] = Math.min(fastest[way], performance.now() - start);
      }
    }
    pages += (await bareText(bytes)).length;
    for (const way of ['bare', 'reader', 'whole'] as const) totals[way] += fastest[way];
  }
  const row = (name: string, value: number, limit?: number): Row => ({
    ...{ name: `speed: ${name}`, papers: chosen.length, items: pages, value },
    aim: limit === undefined ? null : { bound: 'at least', limit },
  });
  return [
    row('bare PDFium text, pages/s', (1000 * pages) / totals.bare),
    row('reader / bare', totals.bare / totals.reader, 0.5),
    row('reader and extraction / bare', totals.bare / totals.whole),
  ];
}

async function measureIngestion(folder: string, log: Log): Promise<Row> {
  const { ingestion, whole, bare } = await ingestRealPapers(folder, log);
  return {
    name: 'speed: whole ingestion on all cores / bare on one',
    papers: ingestion.papers,
    items: ingestion.pages,
    value: whole / bare,
    aim: { bound: 'at least', limit: ingestionAim },
  };
}
