import { join } from 'node:path';
import { packageRoot } from '../../client/services/versions.js';
import type { Benchmark, BenchmarkOptions, Findings, Log } from '../benchmark.js';
import { ingestionAim, ingestRealPapers, type RealPapers } from '../ingest.js';
import { withExampleStore } from '../example-store.js';
import { measures } from './measures.js';
import { measurePaper, papersIn, type PaperFile } from './papers.js';
import {
  findingsOf,
  rowsOf,
  worstPapers,
  type PaperScore,
  type Result,
  type Row,
} from './report.js';
import { searchQuality } from './search-quality.js';
import { measureSpeed, type Speed } from './speed.js';
import { scoreTablesIn } from './tables-folder.js';

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
  const isWanted = ({ name }: { readonly name: string }): boolean => name.startsWith(only);
  const results: Result[] = [
    ...(await scoreFiles(files, papers === undefined, only, log)),
    ...(tables === undefined ? [] : [await scoreTableFolder(tables, paper)]),
  ].filter(isWanted);
  const speed = files.length > 0 && 'speed'.startsWith(only) ? await measureSpeed(files) : null;
  // With engines, and for the papers of a user's own only.
  const ingested =
    papers !== undefined && 'speed'.startsWith(only) ? await ingestRealPapers(papers, log) : null;
  const asksExamples = papers === undefined && tables === undefined && 'hit@5'.startsWith(only);
  const hits = asksExamples ? await withExampleStore(log, searchQuality) : [];
  return findingsOf(
    [
      ...results.flatMap(rowsOf),
      ...(speed === null ? [] : speedRows(speed)),
      ...(ingested === null ? [] : [ingestionRow(ingested)]),
      ...hits,
    ],
    worst ? results.flatMap(worstPapers) : [],
  );
}

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
  return wanted.map(({ name, aims, exampleAims, as }) => ({
    name,
    aims: examples ? exampleAims : aims,
    ...(as !== undefined && { as }),
    scores: scores.get(name) ?? [],
  }));
}

const scoreTableFolder = async (folder: string, filter: string): Promise<Result> => ({
  name: 'table cells, adjacency F1',
  aims: { recall: 0.9, precision: 0.85 },
  as: 'F1',
  scores: await scoreTablesIn(folder, filter),
});

/** Single-threaded pages a second, as shares of what PDFium needs for the bare text. */
function speedRows({ papers, pages, bare, reader, readerAndExtraction }: Speed): readonly Row[] {
  const row = (name: string, value: number, limit?: number): Row => ({
    name,
    papers,
    items: pages,
    value,
    aim: limit === undefined ? null : { bound: 'at least', limit },
  });
  return [
    row('speed: bare PDFium text, pages/s', bare),
    row('speed: reader / bare', reader / bare, 0.5),
    row('speed: reader and extraction / bare', readerAndExtraction / bare),
  ];
}

const ingestionRow = ({ ingestion: { papers, pages }, whole, bare }: RealPapers): Row => ({
  name: 'speed: whole ingestion on all cores / bare on one',
  papers,
  items: pages,
  value: whole / bare,
  aim: { bound: 'at least', limit: ingestionAim },
});
