import { extractPaper } from '../../../domain/extraction/extract-paper.js';
import {
  enrichmentPromptVersion,
  type EnrichmentJob,
  type Question,
  type EnrichmentRecord,
} from '../../../domain/enrichment/job.js';
import { paperRows } from '../../../domain/stores/paper-rows.js';
import type { PaperRows } from '../../../domain/stores/paper-tables.js';
import { exampleManifest } from '../runs/example-manifest.js';
import { contentOf, pageOf } from '../extraction/pdf-content.js';

export const sha256 = 'a'.repeat(64);

/** A paper of two pages, the second of which is a scan, with a section, a table and a figure. */
export function scannedRows(): PaperRows {
  const content = contentOf([
    pageOf([
      { text: 'A Study of Ovens', fontSize: 18 },
      'Cy Baker',
      { text: 'Abstract', fontSize: 12 },
      'We bake bread in four ovens and measure how much of their heat is lost.',
      { text: '1 Introduction', fontSize: 12 },
      'Bakeries start their ovens at three in the morning, long before bread is sold.',
    ]),
    pageOf([]),
  ]);
  const paper = extractPaper(content);
  const place = { page: 1, box: [72, 400, 200, 100] as const };
  return paperRows({
    file: 'ovens.pdf',
    sha256,
    paper: {
      ...paper,
      tables: [
        {
          ...place,
          caption: 'Table 1: Heat by oven.',
          number: '1',
          html: '<table><tr><td>oven</td><td>heat</td></tr><tr><td>1</td><td>40</td></tr></table>',
        },
      ],
      figures: [{ ...place, caption: 'Figure 1: An oven.', number: '1' }],
    },
  });
}

const { model } = exampleManifest().config;
export const textModel = { ...model, name: 'text-model', price: { input: 1, output: 2 } };
export const visionModel = { ...model, name: 'vision-model', price: { input: 3, output: 4 } };

export const jobOf = (changes: Partial<EnrichmentJob> = {}): EnrichmentJob => ({
  prompts: enrichmentPromptVersion,
  model: textModel,
  vision: visionModel,
  kinds: ['scans', 'pages', 'sections', 'tables', 'images', 'metadata'],
  papers: [{ paperId: '11111111-1111-4111-8111-111111111111', sha256, file: 'ovens.pdf' }],
  ...changes,
});

/** A stored reply. */
export const recordOf = (
  { key, item, model: { name } }: Question,
  raw: string,
  changes: Partial<EnrichmentRecord> = {},
): EnrichmentRecord => ({
  question: key,
  item: item.key,
  about: item.kind,
  prompts: enrichmentPromptVersion,
  asked: name,
  raw,
  cutOff: false,
  model: name,
  tokens: { prompt: 100, completion: 10, cached: 0, reasoning: 0 },
  costUsd: 0.0001,
  cacheHit: false,
  retries: 0,
  startedAt: '2026-01-01T00:00:00.000Z',
  endedAt: '2026-01-01T00:00:01.000Z',
  ...changes,
});
