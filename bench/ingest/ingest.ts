import type { Benchmark } from '../benchmark.js';
import { measureRealPapers } from './real-papers.js';
import { measureSmallPdfs } from './small-pdfs.js';

export const ingestBenchmark: Benchmark = {
  summary:
    'one ingestion of 10,000 small PDFs beside one of 1,000 (--calls N), half an hour; with --papers FOLDER the whole ingestion of its PDFs beside the bare text',
  run: (log, { calls = 10_000, papers }) =>
    papers === undefined
      ? measureSmallPdfs([Math.ceil(calls / 10), calls], log)
      : measureRealPapers(papers, log),
};
