import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { markdownTable, problemsOf, ratioTable, type Findings, type Ratio } from '../benchmark.js';
import { bareText } from '../extraction/bare-text.js';
import { forEachConcurrently } from '../bare/for-each-concurrently.js';
import { papersIn } from '../extraction/papers.js';
import { shareCompiledPdfium } from '../../worker/adapters/pdfium/module.js';
import { createPdfiumPdf } from '../../worker/adapters/pdfium/read-papers.js';
import { ingestFiles, processes } from './ingest-files.js';

/** What a good ingestion reaches: its pages a second on all cores, as a share of those of the bare text on one. */
export const ingestionAim = 1 / 3;

export interface RealPapers {
  readonly papers: number;
  readonly pages: number;
  /** Pages a second on one core: what other work on the machine has disturbed least. */
  readonly bare: number;
  readonly bareMs: readonly number[];
  /** Pages a second. */
  readonly whole: number;
  readonly figures: Awaited<ReturnType<typeof ingestFiles>>;
}

/** Ingests the papers of a folder, and reads their bare text before and after. */
export async function ingestRealPapers(
  folder: string,
  log: (step: string) => void,
): Promise<RealPapers> {
  const files = papersIn(folder).map(({ pdf }) => pdf);
  log(`reading the bare text of ${files.length} PDFs`);
  await shareCompiledPdfium();
  const bareMs = [await bareTextMs(files)];
  const figures = await ingestFiles(files, log);
  bareMs.push(await bareTextMs(files));
  const { papers, pages, wallMs } = figures;
  const perSecond = (ms: number): number => (1000 * pages) / ms;
  const [bare, whole] = [perSecond(Math.min(...bareMs)), perSecond(wallMs)];
  return { papers, pages, bare, bareMs, whole, figures };
}

/** The whole ingestion of real papers beside the bare text of their pages, and what the processes need for it. */
export async function measureRealPapers(
  folder: string,
  log: (step: string) => void,
): Promise<Findings> {
  const { papers, pages, bare, bareMs, whole, figures } = await ingestRealPapers(folder, log);
  const { wallMs, cpuMs, peakMb } = figures;
  log('reading them on all cores, without the rest of an ingestion');
  const reading = await readInThreads(papersIn(folder).map(({ pdf }) => pdf));
  const ratios: readonly Ratio[] = [
    {
      name: `whole ingestion on ${availableParallelism()} cores / bare text on one, pages/s`,
      value: whole / bare,
      limit: ingestionAim,
      bound: 'at least',
    },
  ];
  const cpu = processes.map((name) => cpuMs[name] ?? 0);
  const allCpu = cpu.reduce((sum, ms) => sum + ms, 0);
  const perPage = (ms: number): string => (ms / pages).toFixed(1);
  const rows = [
    ['bare text, one core', bare.toFixed(0), perPage(Math.min(...bareMs)), ...cpu.map(() => '')],
    [
      'reading and extraction alone, all cores',
      ((1000 * pages) / reading.wallMs).toFixed(0),
      perPage(reading.cpuMs),
      ...cpu.map(() => ''),
    ],
    ['whole ingestion', whole.toFixed(0), perPage(allCpu), ...cpu.map(perPage)],
  ];
  return {
    tables: [
      ratioTable(ratios),
      `${papers} papers of ${pages} pages:`,
      markdownTable(['', 'pages/s', 'ms CPU a page', ...processes], rows),
    ],
    figures: { papers, pages, bareMs, reading, wallMs, cpuMs, peakMb },
    problems: problemsOf(ratios),
  };
}

/** In threads, as a worker reads PDFs: no ingestion is faster. */
async function readInThreads(
  files: readonly string[],
): Promise<{ readonly wallMs: number; readonly cpuMs: number }> {
  const thread = new URL('../../programs/pdfium-thread.js', import.meta.url);
  const { read } = createPdfiumPdf({ thread });
  const { signal } = new AbortController();
  const start = performance.now();
  const cpuMs = await cpuOf(() =>
    forEachConcurrently(availableParallelism(), files.length, async (index) => {
      await read(files[index] ?? '', signal);
    }),
  );
  return { wallMs: performance.now() - start, cpuMs };
}

/** CPU time in one thread. */
async function bareTextMs(files: readonly string[]): Promise<number> {
  let ms = 0;
  for (const path of files) {
    const bytes = readFileSync(path);
    ms += await cpuOf(() => bareText(bytes));
  }
  return ms;
}

async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}
