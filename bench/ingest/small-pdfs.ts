import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { markdownTable, problemsOf, ratioTable, type Findings, type Ratio } from '../benchmark.js';
import { ingestFiles, processes, type Ingestion } from './ingest-files.js';

/** Time, payloads and memory of many papers of one page beside those of few. */
export async function measureSmallPdfs(
  sizes: readonly [few: number, many: number],
  log: (step: string) => void,
): Promise<Findings> {
  const few = await ingestSmallPdfs(sizes[0], log);
  const many = await ingestSmallPdfs(sizes[1], log);
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

async function ingestSmallPdfs(papers: number, log: (step: string) => void): Promise<Ingestion> {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-pdfs-'));
  try {
    const files = Array.from({ length: papers }, (_, index) => join(folder, `${index}.pdf`));
    for (const [index, file] of files.entries()) writeFileSync(file, smallPdf(index));
    const ingestion = await ingestFiles(files, log);
    if (ingestion.papers !== papers) throw new Error(`${ingestion.papers} papers were ingested`);
    return ingestion;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

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
