import { expect, it } from 'vitest';
import { storeCheckSection } from '../../../../client/views/sections/store.js';
import { sectionText } from '../../../support/commands/section-text.js';
import { storeNameSchema } from '../../../../domain/ids.js';
import type { Finding, LostPaper, StoreCheck } from '../../../../domain/stores/store-check.js';

const store = storeNameSchema.parse('mine');
const checked = (...findings: readonly Finding[]): StoreCheck => ({
  ...{ database: null, papers: 2, rows: 85, vectors: 1, findings },
});
const missing: Finding = {
  ...{ kind: 'vectors-missing', where: 'text_bm25_en chunks.text_content' },
  ...{ count: 12, papers: 1, example: 'a.pdf 17' },
};
const left: Finding = {
  ...{
    kind: 'collection-left',
    where: 'Milvus',
    count: 1,
    papers: 0,
    example: 'mine__k__1__text_x',
  },
};
const lost: LostPaper = {
  ...{ paperId: '00000000-0000-4000-8000-000000000001', title: 'Owls', file: 'a.pdf', lost: 'pdf' },
};

it('says what agrees', () => {
  expect(sectionText(storeCheckSection(store, { found: checked(), left: null, lost: [] }))).toBe(
    'store mine: 2 papers, 85 rows and 1 vector agree',
  );
});

it('has a line for each finding', () => {
  expect(
    sectionText(storeCheckSection(store, { found: checked(missing, left), left: null, lost: [] })),
  ).toBe(
    [
      'store mine: 2 findings; `turnwise store check mine --repair` mends what it can\n',
      'finding                where                             how many       for example',
      'cells without vectors  text_bm25_en chunks.text_content  12 in 1 paper  a.pdf 17',
      'collections left over  Milvus                            1              mine__k__1__text_x',
    ].join('\n'),
  );
});

it('names what a repair could not mend', () => {
  const lostPdf: Finding = {
    ...{ kind: 'pdf-lost', where: 'papers', count: 1, papers: 1, example: 'a.pdf aa.pdf' },
  };
  expect(
    sectionText(
      storeCheckSection(store, {
        found: checked(missing, lostPdf),
        left: checked(lostPdf),
        lost: [lost],
      }),
    ),
  ).toBe(
    [
      'store mine after the repair: 1 finding; `turnwise store add PDF --store mine` brings back what is lost of a paper',
      'a.pdf (Owls): its PDF is lost, and with it the pictures of its pages\n',
      'finding                  where                             how many       for example',
      'cells without vectors    text_bm25_en chunks.text_content  12 in 1 paper  a.pdf 17',
      'copy of the PDF missing  papers                            1 in 1 paper   a.pdf aa.pdf',
      '',
      'not mended               where   how many      for example',
      'copy of the PDF missing  papers  1 in 1 paper  a.pdf aa.pdf',
    ].join('\n'),
  );
});

it('is short after a repair that mended all', () => {
  expect(
    sectionText(storeCheckSection(store, { found: checked(left), left: checked(), lost: [] })),
  ).toBe(
    [
      'store mine after the repair: 2 papers, 85 rows and 1 vector agree\n',
      'finding                where   how many  for example',
      'collections left over  Milvus  1         mine__k__1__text_x',
    ].join('\n'),
  );
});
