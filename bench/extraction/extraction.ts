import { join } from 'node:path';
import { packageRoot } from '../../client/services/versions.js';
import {
  markdownTable,
  type Benchmark,
  type BenchmarkOptions,
  type Findings,
} from '../benchmark.js';
import { measures, type Measure } from './measures.js';
import { measurePaper, papersIn, type MeasuredPaper } from './papers.js';
import { addScores, type Score } from './score.js';

export const extractionBenchmark: Benchmark = {
  summary:
    'what is found in PDFs against their sources; --papers FOLDER, --tables FOLDER, --only MEASURE, --paper NAME, --worst',
  run: measureExtraction,
};

async function measureExtraction(
  log: (step: string) => void,
  { papers, only = '', paper: filter, worst = false }: BenchmarkOptions,
): Promise<Findings> {
  const folder = papers ?? join(packageRoot, 'examples', 'papers');
  const wanted = measures.filter(({ name }) => name.startsWith(only));
  const results = wanted.map((measure): Result => ({ measure, scores: [] }));
  const files = papersIn(folder, filter);
  let refused = 0;
  for (const file of files) {
    const measured = await measurePaper(file);
    if (measured === null) {
      log(`${file.name} cannot be read`);
      refused += 1;
    } else {
      scorePaper(measured, results);
    }
  }
  log(
    `${files.length} papers, ${files.filter(({ source }) => source !== null).length} with a source, ${refused} refused`,
  );
  const rows = results.flatMap((result) => rowsOf(result, papers === undefined));
  return {
    tables: [
      markdownTable(
        ['', 'papers', 'items', 'measured', 'aim'],
        rows.map(({ name, papers, items, value, aim }) => [
          name,
          String(papers),
          String(items),
          value.toFixed(3),
          aim === null ? '' : `${aim.bound === 'at least' ? '≥' : '≤'} ${aim.limit}`,
        ]),
      ),
      ...(worst ? results.map(worstPapers).filter((text) => text !== '') : []),
    ],
    figures: rows,
    problems: rows.flatMap(({ name, value, aim }) =>
      aim === null || (aim.bound === 'at least' ? value >= aim.limit : value <= aim.limit)
        ? []
        : [`${name}: ${value.toFixed(3)}, but must be ${aim.bound} ${aim.limit}`],
    ),
  };
}

interface Result {
  readonly measure: Measure;
  readonly scores: { readonly paper: string; readonly score: Score }[];
}

function scorePaper(measured: MeasuredPaper, results: readonly Result[]): void {
  for (const { measure, scores } of results) {
    const score = measure.score(measured);
    if (score !== null) scores.push({ paper: measured.name, score });
  }
}

interface Row {
  readonly name: string;
  readonly papers: number;
  readonly items: number;
  readonly value: number;
  readonly aim: { readonly bound: 'at least' | 'at most'; readonly limit: number } | null;
}

/** The figures of a measure over all papers. A measure that fits no paper has none. */
function rowsOf({ measure, scores }: Result, examples: boolean): readonly Row[] {
  if (scores.length === 0) return [];
  const { right, expected, found } = addScores(scores.map(({ score }) => score));
  const row = (name: string, value: number, limit: number | undefined): Row => ({
    name,
    papers: scores.length,
    items: expected,
    value,
    aim: limit === undefined ? null : { bound: measure.aims.bound ?? 'at least', limit },
  });
  const { recall, precision } = examples
    ? { recall: measure.aims.examples, precision: undefined }
    : measure.aims;
  const share = right / expected;
  const rows = [row(measure.name, measure.aims.bound === 'at most' ? 1 - share : share, recall)];
  if (measure.aims.precision !== undefined) {
    rows.push(row(`${measure.name}, precision`, found === 0 ? 1 : right / found, precision));
  }
  return rows;
}

const worstShown = 5;
const faultsShown = 12;

/** The papers with most faults. */
function worstPapers({ measure, scores }: Result): string {
  const faulty = scores
    .filter(({ score }) => score.faults.length > 0)
    .sort((a, b) => b.score.faults.length - a.score.faults.length)
    .slice(0, worstShown);
  return faulty
    .map(({ paper, score: { right, expected, found, faults } }) =>
      [
        `${measure.name}: ${paper}: ${right} of ${expected}, ${found} found`,
        ...faults.slice(0, faultsShown).map((fault) => `    ${fault.slice(0, 200)}`),
        ...(faults.length > faultsShown ? [`    … and ${faults.length - faultsShown} more`] : []),
      ].join('\n'),
    )
    .join('\n');
}
