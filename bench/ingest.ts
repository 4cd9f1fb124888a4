import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ingestPapers } from '../client/runs/stores/ingest-papers.js';
import { loadEnvironment } from '../client/services/environment.js';
import { withServices } from '../client/services/session.js';
import { ingestionWorkflowId, storeNameSchema } from '../domain/ids.js';
import {
  markdownTable,
  problemsOf,
  ratioTable,
  type Benchmark,
  type Findings,
  type Ratio,
} from './benchmark.js';
import { servicesOf } from './chaos/kill-service.js';
import { historyBytes } from './services/history-size.js';
import { memoryMibOf } from './services/memory.js';

export const ingestBenchmark: Benchmark = {
  summary: 'one ingestion of 10,000 small PDFs beside one of 1,000; takes half an hour',
  run: (log, { calls = 10_000 }) => measureIngestion([Math.ceil(calls / 10), calls], log),
};

interface Ingestion {
  readonly papers: number;
  readonly wallMs: number;
  /** Bytes of each history of the ingestion's workflow: one for each time that it continued as new. */
  readonly histories: readonly number[];
  /** The most resident memory of each process, in MiB. */
  readonly peakMb: Readonly<Record<string, number>>;
}

async function measureIngestion(
  sizes: readonly [few: number, many: number],
  log: (step: string) => void,
): Promise<Findings> {
  const few = await ingest(sizes[0], log);
  const many = await ingest(sizes[1], log);
  const msAPaper = ({ wallMs, papers }: Ingestion): number => wallMs / papers;
  const ratios: readonly Ratio[] = [
    {
      name: `time a paper of ${many.papers} / of ${few.papers}`,
      value: msAPaper(many) / msAPaper(few),
      limit: 1.2,
      bound: 'at most',
    },
    {
      name: 'largest history of an ingestion, in MB',
      value: Math.max(...many.histories) / 1e6,
      limit: 4,
      bound: 'at most',
    },
    {
      name: 'most memory of the worker, in MiB',
      value: many.peakMb['worker'] ?? 0,
      limit: 1500,
      bound: 'at most',
    },
  ];
  const rows = [few, many].map((one) => [
    one.papers.toLocaleString('en'),
    msAPaper(one).toFixed(1),
    String(one.histories.length),
    (Math.max(...one.histories) / 1e6).toFixed(2),
    ...processes.map((name) => (one.peakMb[name] ?? 0).toFixed(0)),
  ]);
  const heading = ['papers', 'ms a paper', 'histories', 'largest, MB'];
  const memory = processes.map((name) => `${name}, MiB`);
  return {
    tables: [ratioTable(ratios), markdownTable([...heading, ...memory], rows)],
    figures: { ingestions: [few, many], ratios },
    problems: problemsOf(ratios),
  };
}

const processes = ['worker', 'temporal', 'milvus', 'command'] as const;

/** Ingests so many papers into a new home. */
async function ingest(papers: number, log: (step: string) => void): Promise<Ingestion> {
  const home = mkdtempSync(join(tmpdir(), 'turnwise-ingest-'));
  const folder = join(home, 'pdfs');
  const store = storeNameSchema.parse('many');
  const environment = { ...loadEnvironment(), TURNWISE_HOME: home };
  try {
    mkdirSync(folder);
    const files = Array.from({ length: papers }, (_, index) => join(folder, `${index}.pdf`));
    for (const [index, file] of files.entries()) writeFileSync(file, smallPdf(index));
    return await withServices(environment, async (session) => {
      log(`ingesting ${papers} papers`);
      const start = performance.now();
      const { ingested } = await ingestPapers(session, environment, store, files);
      const wallMs = performance.now() - start;
      if (ingested.length !== papers) throw new Error(`${ingested.length} papers were ingested`);
      const query = `WorkflowId = '${ingestionWorkflowId(session.client.home, store)}'`;
      const histories = await historyBytes(session.client, query);
      return { papers, wallMs, histories, peakMb: peakMemory(home) };
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const peakMemory = (home: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    [...(servicesOf(home)?.services ?? []), { name: 'command', pid: process.pid }].map(
      ({ name, pid }) => [name, memoryMibOf(pid, 'VmHWM') ?? 0],
    ),
  );

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
