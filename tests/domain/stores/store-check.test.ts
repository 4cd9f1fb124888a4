import { describe, expect, it } from 'vitest';
import { bm25Encoder, newCorpus } from '../../../domain/stores/bm25.js';
import { paperRows } from '../../../domain/stores/paper-rows.js';
import type { PaperRows } from '../../../domain/stores/paper-tables.js';
import {
  cellsOf,
  compareCells,
  compareRows,
  countRows,
  isSameBm25,
  noRows,
  isBuildNeeded,
  mendings,
  newFindings,
  type Finding,
  type FindingKind,
} from '../../../domain/stores/store-check.js';
import type { StoredPaper } from '../../../domain/stores/store-manifest.js';
import { extractPaper } from '../../../domain/extraction/extract-paper.js';
import { contentOf } from '../../support/extraction/pdf-content.js';

const sha256 = 'a'.repeat(64);
const rows = paperRows({
  file: 'a.pdf',
  sha256,
  paper: extractPaper(contentOf([['Owls hunt at night.'], ['Bats hunt as well.']])),
});
const paper: StoredPaper = {
  ...{ paperId: rows.metadata[0]?.paper_id ?? '', title: 'Owls', file: 'a.pdf', sha256, pages: 2 },
};

const compared = (derived: PaperRows, stored: PaperRows): readonly Finding[] => {
  const findings = newFindings();
  compareRows(paper, derived, stored, findings);
  return findings.list();
};
const withPages = (change: (text: string | null) => string | null): PaperRows => ({
  ...rows,
  pages: rows.pages.map((page) => ({ ...page, page_content: change(page.page_content) })),
});

describe('findings', () => {
  it('count cells and papers by kind and place, with the first example', () => {
    const findings = newFindings();
    const other = { ...paper, paperId: 'other', file: 'b.pdf' };
    findings.add('rows-missing', 'chunks', paper, 'one');
    findings.add('rows-missing', 'chunks', paper, 'two');
    findings.add('rows-missing', 'chunks', other, 'three');
    findings.add('text-lost', 'papers', other, 'x.json');
    findings.add('rows-extra', 'chunks', null, 'four', 7);
    expect(findings.list()).toEqual([
      { kind: 'text-lost', where: 'papers', count: 1, papers: 1, example: 'b.pdf x.json' },
      { kind: 'rows-missing', where: 'chunks', count: 3, papers: 2, example: 'a.pdf one' },
      { kind: 'rows-extra', where: 'chunks', count: 7, papers: 0, example: 'four' },
    ]);
    expect([findings.has('rows-extra'), findings.has('bm25-lost')]).toEqual([true, false]);
  });

  it.each(Object.entries(mendings))('of kind %s are mended by: %s', (kind, mending) => {
    const finding = { kind: kind as FindingKind, where: '', count: 1, papers: 0, example: '' };
    const check = { findings: [finding] };
    expect(isBuildNeeded(check, 0)).toBe(mending === 'build');
    expect(isBuildNeeded(check, 1)).toBe(mending === 'build' || kind === 'text-lost');
  });
});

describe('rows', () => {
  it('are the same when every cell is', () => {
    expect(compared(rows, structuredClone(rows))).toEqual([]);
  });

  it('are missing, too many or changed, each by itself', () => {
    const { pages } = rows;
    const [first, second] = pages;
    if (!first || !second) throw new Error('two pages');
    const late = { ...second, page_id: 'late' };
    expect(
      compared(rows, { ...rows, pages: [{ ...first, page_width: 1 }, late] }).map(
        ({ kind, where, count }) => [kind, where, count],
      ),
    ).toEqual([
      ['rows-missing', 'pages', 1],
      ['rows-changed', 'pages', 1],
      ['rows-extra', 'pages', 1],
    ]);
  });

  it.each([
    ['NULL and an empty text', () => '', 2],
    ['texts that differ in a space', (text: string | null) => `${String(text)} `, 2],
    ['half a surrogate pair, which UTF-8 cannot hold', (text: string | null) => text, 0],
  ])('compares %s', (what, change, count) => {
    const isHalf = what.startsWith('half');
    const derived = isHalf ? withPages(() => 'a\uD800b') : withPages(() => null);
    const stored = isHalf ? withPages(() => 'a\uFFFDb') : withPages(change);
    expect(compared(derived, stored)[0]?.count ?? 0).toBe(count);
  });

  it('are counted over all tables', () => {
    expect(countRows(noRows)).toBe(0);
    expect(countRows(rows)).toBe(1 + rows.pages.length + rows.chunks.length + rows.sections.length);
  });
});

describe('cells', () => {
  const model = newCorpus();
  model.add('owls');
  const encoder = bm25Encoder(model.fit());
  const hasTerms = (text: string): boolean => encoder.document(text).size > 0;
  const all = cellsOf(rows, 'text');
  const found = (entries: typeof all, hasVector: (text: string) => boolean = () => true) => {
    const findings = newFindings();
    compareCells('text_x', paper, all, entries, hasVector, findings);
    return findings.list();
  };

  it('need one vector each, and may have several', () => {
    expect(found(all)).toEqual([]);
    expect(found([...all, ...all])).toEqual([]);
    expect(found(all.slice(1))).toMatchObject([
      { kind: 'vectors-missing', where: 'text_x metadata.title', count: 1 },
    ]);
  });

  it('need no sparse vector where no term of the model is in them', () => {
    const owls = all.filter(({ text }) => /owls/i.test(text));
    expect(owls.length).toBeLessThan(all.length);
    expect(found(owls, hasTerms)).toEqual([]);
  });

  it('of pictures are the boxes', () => {
    const page = rows.pages[0]?.page_id ?? '';
    const image = {
      ...{ image_id: 'i', image_caption: '', image_summary: null, ordinal: 0 },
      ...{ ref_paper_id: paper.paperId, ref_page_id: page },
    };
    const images = [
      { ...image, bounding_box: [1, 2, 3, 4] as const },
      { ...image, image_id: 'j', bounding_box: null },
    ];
    expect(cellsOf({ ...rows, images }, 'image')).toMatchObject([
      { table: 'images', column: 'bounding_box', primaryKey: 'i', text: '', box: [1, 2, 3, 4] },
    ]);
  });
});

it('compares BM25 models by what they hold', () => {
  const fit = (...pages: readonly string[]) => {
    const corpus = newCorpus();
    for (const page of pages) corpus.add(page);
    return corpus.fit();
  };
  const model = fit('owls hunt', 'bats hunt');
  expect(isSameBm25(model, JSON.parse(JSON.stringify(model)) as typeof model)).toBe(true);
  expect(isSameBm25(model, fit('owls hunt', 'bats sleep'))).toBe(false);
  expect(isSameBm25(model, fit('owls hunt', 'bats hunt', 'bats'))).toBe(false);
  expect(isSameBm25(model, { ...model, k1: 2 })).toBe(false);
});
