import { describe, expect, it } from 'vitest';
import { paperBody, bodyOf } from '../../../../client/views/paper/paper-page.js';
import type { PaperView } from '../../../../client/runs/stores/view-paper.js';
import type { Paper } from '../../../../domain/extraction/paper.js';
import { rowKeys, shownPaper } from '../../../../domain/stores/inspection/shown-paper.js';
import { rowsUnderId } from '../../../../domain/stores/paper-rows.js';
import { importedRows } from '../../../support/stores/imported-paper.js';
import { readPaper } from '../../../support/stores/kept-paper.js';

const shown = (changes: Partial<Paper> = {}) =>
  shownPaper({ file: 'geese.pdf', paper: readPaper(changes) });

const line = (text: string, y: number) => ({ text, box: [72, y, 300, 10] as const });
const view: PaperView = {
  broken: [],
  pages: new Map([
    [
      1,
      {
        ...{ kind: 'page', page: 1, width: 612, height: 792, picture: 'UE5H' },
        lines: [line('1 Ponds', 80), line('Lost words', 120), line('north', 320)],
      },
    ],
  ]),
};

const keys = rowKeys(rowsUnderId('paper', 'geese.pdf', readPaper()));

const pageOf = (paper = shown(), changes: Partial<Parameters<typeof bodyOf>[0]> = {}): string =>
  paperBody(
    bodyOf({
      ...{ paper, view, facts: [['file', 'geese.pdf']], against: null },
      ...{ pages: [1, 2], madeAt: '2026-01-02T03:04:05.000Z', rowKeys: keys, ...changes },
    }),
  ).text;

const words = (markup: string): string =>
  markup.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

describe('the page of a paper', () => {
  it('draws a box for each item, and for text that no item has', () => {
    const page = pageOf();
    for (const id of ['table-1', 'figure-1', 'equation-1', 'reference-1', 'footnote-1']) {
      expect(page).toMatch(new RegExp(`<a href="#${id}" data-item="${id}" id="b-${id}"><rect`));
      expect(page).toContain(`id="${id}" data-item="${id}"`);
    }
    expect(page).toContain('<rect class="k-table " x="72" y="300" width="200" height="60"/>');
    expect(page).toContain(
      '<rect class="k-section heading" x="72" y="80" width="300" height="10"/>',
    );
    expect(page).toContain('<rect class="k-left" x="72" y="120" width="300" height="10"/>');
    expect(words(page)).toContain('In no item Lost words');
  });

  it('marks the box of each row, to which hits of searches link', () => {
    expect(pageOf()).toContain(`<g id="${keys.get('table-1') ?? 'none'}"><a href="#table-1"`);
  });

  it('shows each picture once it is seen, and says where there is none', () => {
    const page = pageOf();
    expect(page.match(/<img loading="lazy"/g)).toHaveLength(1);
    expect(words(page)).toContain('These pages cannot be drawn: 2.');
    expect(words(pageOf(shown(), { view: null }))).toContain('The store has no PDF of this paper');
  });

  it('lists what was read, with passages under their sections', () => {
    const text = words(pageOf());
    expect(text).toContain('Nothing shows that something is missing.');
    expect(text).toContain('1 Ponds p. 1 1.1 North pp. 1–2');
    expect(text).toContain(
      '[1] p. 2 A. Field. Ducks. 1999. authors A. Field year 1999 title Ducks',
    );
    expect(text).toContain('Equation (1) p. 1 n = g');
    expect(text).toContain('Table 1: Geese by pond. pond geese north 214');
    expect(text).toContain('1 passage The north pond held 214 geese. p. 1');
  });

  it('says which pages have no text, and why', () => {
    const [first, second] = readPaper().pages;
    if (first === undefined || second === undefined) throw new Error('The paper has two pages.');
    const pages = [first, { ...second, text: '', unusable: 'its fonts are odd' }];
    const text = words(pageOf(shown({ pages })));
    expect(text).toContain('page 2 has no text that can be used: its fonts are odd');
    expect(text).toContain('Its text cannot be used: its fonts are odd.');
  });

  it('takes nothing of a table but texts and spans, and escapes all that a PDF says', () => {
    const attack = '</script><img src=x onerror="window.attacked = true">\u202Egnirts';
    const [table] = readPaper().tables;
    if (table === undefined) throw new Error('The paper has a table.');
    const html = `<table onclick="attack()"><tr><td colspan="2" rowspan="1e9" style="x">a<script>attack()</script><b>b</b></td><td colspan="attack()"><img src=x onerror=attack()>&lt;i&gt;</td></tr></table>`;
    const page = pageOf(shown({ title: attack, tables: [{ ...table, html, caption: attack }] }));
    expect(page).toContain('<td rowspan="1000" colspan="2">ab</td><td>&lt;i&gt;</td>');
    expect(page).not.toMatch(/<script|onclick|<img src|\u202E/);
    expect(page).toContain('&lt;/script&gt;&lt;img src=x onerror=&quot;');
  });

  it('shows an import that has no page and no PDF', () => {
    const rows = { ...importedRows(), pages: [] };
    const page = pageOf(shownPaper({ file: 'geese.pdf', rows }), { view: null, pages: [] });
    expect(words(page)).toContain('On no page');
    expect(words(page)).toContain('Geese of two ponds.');
  });
});

describe('the page of two extractions', () => {
  const [table] = readPaper().tables;
  if (table === undefined) throw new Error('The paper has a table.');
  const other = shown({
    tables: [{ ...table, box: [72, 300, 200, 30], html: '<table><tr><td>pond</td></tr></table>' }],
    footnotes: [],
    figures: [
      ...readPaper().figures,
      { page: 2, box: [72, 400, 50, 50], caption: '', number: '9' },
    ],
    abstract: 'Geese are counted at dawn.',
  });
  const page = pageOf(shown(), { against: { store: 'other', paper: other } });

  it('counts what differs, by kind', () => {
    const text = words(page);
    expect(text).toContain('kind the same differ not in other only in other');
    expect(text).toMatch(
      /front matter 0 1 0 0 .*tables 0 1 0 0 .*figures 1 0 0 1 .*footnotes 0 0 1 0/,
    );
  });

  it('has both versions of what differs, and what only the other one has', () => {
    expect(page).toContain('Geese are counted at <del>dawn.</del><ins>dusk.</ins>');
    expect(page).toMatch(/<div class="now">.*214.*<div class="gone">.*<td>pond<\/td>/s);
    expect(page).toContain('<rect class="k-table before" x="72" y="300" width="200" height="30"/>');
    expect(page).toContain('id="other-figure-2"');
    expect(words(page)).toContain('Figure 9 p. 2 only in other');
  });
});
