import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { ingestPapers } from '../client/runs/stores/store-workflows.js';
import { openStore } from '../client/runs/stores/store-files.js';
import { ingestionWorkflowId, storeNameSchema } from '../domain/ids.js';
import { hashingName } from '../domain/embedders.js';
import { shareCompiledPdfium } from '../worker/adapters/pdfium/module.js';
import { createPdfiumPdf } from '../worker/adapters/pdfium/read-papers.js';
import { forEachConcurrently } from './bare/openai-loop.js';
import {
  atLeast,
  atMost,
  markdownTable,
  ratioFindings,
  type Benchmark,
  type Findings,
  type Log,
} from './benchmark.js';
import { servicesOf } from './chaos/command-line.js';
import { withServedHome, withFolder } from './example-store.js';
import { bareText, papersIn } from './extraction/papers.js';
import { cpuMsOf, historyBytes, memoryMibOf } from './services/usage.js';

export const ingestBenchmark: Benchmark = {
  summary:
    'one ingestion of 10,000 small PDFs beside one of 1,000 (--calls N), half an hour; with --papers FOLDER the whole ingestion of its PDFs beside the bare text',
  run: (log, { calls = 10_000, papers }) =>
    papers === undefined ? measureSmallPdfs(calls, log) : measureRealPapers(papers, log),
};

interface Ingestion {
  /** Of the store. */
  readonly papers: number;
  readonly pages: number;
  readonly wallMs: number;
  /** Bytes of each history of the ingestion's workflow: one for each time that it continued as new. */
  readonly histories: readonly number[];
  /** The most resident memory of each process, in MiB. */
  readonly peakMb: ByProcess;
  /** The CPU time of each process during the ingestion, in milliseconds. */
  readonly cpuMs: ByProcess;
}

const processes = ['worker', 'temporal', 'milvus', 'command'] as const;
type ByProcess = Readonly<Record<(typeof processes)[number], number>>;

/** Ingests PDFs into a new home. Its services are started before the clock. */
const ingestFiles = (files: readonly string[], log: Log): Promise<Ingestion> =>
  withServedHome(async ({ home, environment, session }) => {
    log(`ingesting ${files.length} PDFs`);
    const store = storeNameSchema.parse('many');
    const before = byProcess(home, cpuMsOf, ownCpuMs());
    const start = performance.now();
    const { ingested, failed } = await ingestPapers(session, environment, store, files, {
      embedder: hashingName,
    });
    const wallMs = performance.now() - start;
    const after = byProcess(home, cpuMsOf, ownCpuMs());
    for (const { reason } of failed) log(reason);
    const { papers } = await openStore(environment, store);
    const query = `WorkflowId = '${ingestionWorkflowId(session.client.home, store)}'`;
    const peakOf = (pid: number): number => memoryMibOf(pid, 'VmHWM');
    return {
      papers: ingested.length,
      pages: papers.reduce((sum, { pages }) => sum + pages, 0),
      wallMs,
      histories: await historyBytes(session.client, query),
      peakMb: byProcess(home, peakOf, peakOf(process.pid)),
      cpuMs: {
        worker: after.worker - before.worker,
        temporal: after.temporal - before.temporal,
        milvus: after.milvus - before.milvus,
        command: after.command - before.command,
      },
    };
  });

/** @param command - the same of this process without its children, which are the services */
const byProcess = (home: string, measure: (pid: number) => number, command: number): ByProcess => ({
  ...{ worker: 0, temporal: 0, milvus: 0, command },
  ...Object.fromEntries(
    (servicesOf(home)?.services ?? []).map(({ name, pid }) => [name, measure(pid)]),
  ),
});

/** @param since - an earlier usage */
function ownCpuMs(since?: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}

async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const start = process.cpuUsage();
  await work();
  return ownCpuMs(start);
}

/** Time, payloads and memory of many papers of one page beside those of a tenth of them. */
async function measureSmallPdfs(papers: number, log: Log): Promise<Findings> {
  const few = await ingestSmallPdfs(Math.ceil(papers / 10), log);
  const many = await ingestSmallPdfs(papers, log);
  const msAPaper = ({ wallMs, papers: of }: Ingestion): number => wallMs / of;
  const largestMb = ({ histories }: Ingestion): number => Math.max(...histories) / 1e6;
  const ratios = [
    atMost(
      `time a paper of ${many.papers} / of ${few.papers}`,
      msAPaper(many) / msAPaper(few),
      1.2,
    ),
    atMost('largest history of an ingestion, in MB', largestMb(many), 4),
    atMost('most memory of the worker, in MiB', many.peakMb.worker, 1500),
  ];
  const heading = ['papers', 'ms a paper', 'histories', 'largest, MB'];
  const rows = [few, many].map((one) => [
    one.papers.toLocaleString('en'),
    msAPaper(one).toFixed(1),
    String(one.histories.length),
    largestMb(one).toFixed(2),
    ...processes.map((name) => one.peakMb[name].toFixed(0)),
  ]);
  const table = markdownTable([...heading, ...processes.map((name) => `${name}, MiB`)], rows);
  return ratioFindings(ratios, { ingestions: [few, many] }, table);
}

const ingestSmallPdfs = (papers: number, log: Log): Promise<Ingestion> =>
  withFolder(async (folder) => {
    const files = Array.from({ length: papers }, (_, index) => join(folder, `${index}.pdf`));
    for (const [index, file] of files.entries()) writeFileSync(file, smallPdf(index));
    const ingestion = await ingestFiles(files, log);
    if (ingestion.papers !== papers) throw new Error(`${ingestion.papers} papers were ingested`);
    return ingestion;
  });

/** A page with a title of its own. */
function smallPdf(index: number): string {
  const lines = [
    [`A Survey of Pond Number ${index}`, 18, 720],
    ['1 Introduction', 12, 680],
    [
      `Pond ${index} lies ${index % 97} metres above the sea and is ${index % 13} metres deep.`,
      10,
      660,
    ],
    ['2 Results', 12, 630],
    [`We counted ${index * 7} frogs and ${index * 3} newts on the shore.`, 10, 610],
  ] as const;
  const drawn = lines.map(([text, size, y]) => `BT /F ${size} Tf 72 ${y} Td (${text}) Tj ET`);
  const content = drawn.join('\n');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  // PDFium finds the objects without a table of their places.
  const numbered = objects.map((object, id) => `${id + 1} 0 obj\n${object}\nendobj`);
  return `%PDF-1.4\n${numbered.join('\n')}\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n`;
}

/** What a good ingestion reaches: its pages a second on all cores, as a share of those of the bare text on one. */
export const ingestionAim = 1 / 3;

interface RealPapers {
  /** Pages a second on one core: what other work on the machine has disturbed least. */
  readonly bare: number;
  readonly bareMs: readonly number[];
  /** Pages a second. */
  readonly whole: number;
  readonly ingestion: Ingestion;
}

/** Ingests the papers of a folder, and reads their bare text before and after. */
export async function ingestRealPapers(folder: string, log: Log): Promise<RealPapers> {
  const files = papersIn(folder).map(({ pdf }) => pdf);
  log(`reading the bare text of ${files.length} PDFs`);
  await shareCompiledPdfium();
  const bareMs = [await bareTextMs(files)];
  const ingestion = await ingestFiles(files, log);
  bareMs.push(await bareTextMs(files));
  const perSecond = (ms: number): number => (1000 * ingestion.pages) / ms;
  const bare = perSecond(Math.min(...bareMs));
  return { bare, bareMs, whole: perSecond(ingestion.wallMs), ingestion };
}

/** The whole ingestion of real papers beside the bare text of their pages, and what the processes need for it. */
async function measureRealPapers(folder: string, log: Log): Promise<Findings> {
  const { bare, bareMs, whole, ingestion } = await ingestRealPapers(folder, log);
  const { papers, pages, wallMs, cpuMs, peakMb } = ingestion;
  log('reading them on all cores, without the rest of an ingestion');
  const reading = await readInThreads(papersIn(folder).map(({ pdf }) => pdf));
  const name = `whole ingestion on ${availableParallelism()} cores / bare text on one, pages/s`;
  const cpu = processes.map((process) => cpuMs[process]);
  const perPage = (ms: number): string => (ms / pages).toFixed(1);
  const blank = cpu.map(() => '');
  const readPerSecond = ((1000 * pages) / reading.wallMs).toFixed(0);
  const allCpu = perPage(cpu.reduce((sum, ms) => sum + ms, 0));
  return ratioFindings(
    [atLeast(name, whole / bare, ingestionAim)],
    { papers, pages, bareMs, reading, wallMs, cpuMs, peakMb },
    `${papers} papers of ${pages} pages:`,
    markdownTable(
      ['', 'pages/s', 'ms CPU a page', ...processes],
      [
        ['bare text, one core', bare.toFixed(0), perPage(Math.min(...bareMs)), ...blank],
        [
          ...['reading and extraction alone, all cores', readPerSecond],
          ...[perPage(reading.cpuMs), ...blank],
        ],
        ['whole ingestion', whole.toFixed(0), allCpu, ...cpu.map(perPage)],
      ],
    ),
  );
}

/** In threads, as a worker reads PDFs: no ingestion is faster. */
async function readInThreads(
  files: readonly string[],
): Promise<{ readonly wallMs: number; readonly cpuMs: number }> {
  const thread = new URL('../programs/pdfium-thread.js', import.meta.url);
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
