import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { markdownTable, problemsOf, ratioTable, type Findings, type Ratio } from '../benchmark.js';
import { bareText } from '../extraction/bare-text.js';
import { forEachConcurrently } from '../bare/for-each-concurrently.js';
import { papersIn } from '../extraction/papers.js';
import { loadPdfium, shareCompiledPdfium } from '../../worker/adapters/pdfium/module.js';
import { createPdfiumPdf } from '../../worker/adapters/pdfium/read-papers.js';
import { ingestFiles, processes } from './ingest-files.js';

/** The whole ingestion of real papers beside the bare text of their pages. */
export async function measureRealPapers(
  folder: string,
  log: (step: string) => void,
): Promise<Findings> {
  const files = papersIn(folder).map(({ pdf }) => pdf);
  log(`reading the bare text of ${files.length} PDFs`);
  await shareCompiledPdfium();
  const bareMs = [await bareTextMs(files)];
  const { papers, pages, wallMs, cpuMs, peakMb } = await ingestFiles(files, log);
  bareMs.push(await bareTextMs(files));
  log('reading them on all cores, without the rest of an ingestion');
  const reading = await readInThreads(files);
  // What other work on the machine has disturbed least.
  const bare = (1000 * pages) / Math.min(...bareMs);
  const whole = (1000 * pages) / wallMs;
  const ratios: readonly Ratio[] = [
    {
      name: `whole ingestion on ${availableParallelism()} cores / bare text on one, pages/s`,
      value: whole / bare,
      limit: 1 / 3,
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

/** CPU time in one thread. The start of PDFium for each PDF is left out, since nobody needs one for each. */
async function bareTextMs(files: readonly string[]): Promise<number> {
  let ms = 0;
  for (const path of files) {
    const bytes = readFileSync(path);
    ms += (await cpuOf(() => bareText(bytes))) - (await cpuOf(loadPdfium));
  }
  return ms;
}

async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}
