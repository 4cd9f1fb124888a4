import { describe, expect, it } from 'vitest';
import { readGrobidTei } from '../../../../domain/extraction/parsers/grobid.js';
import {
  nowhere,
  type PaperParts,
  type SectionPart,
} from '../../../../domain/extraction/parsers/paper-parts.js';
import { replaceParts } from '../../../../domain/extraction/parsers/replace-parts.js';
import { paperSchema } from '../../../../domain/extraction/paper.js';
import { grobidReply, pageSizes, plainPaper } from '../../../support/extraction/parser-replies.js';

const replaced = (parts: PaperParts) => replaceParts(plainPaper, parts);
const section = (title: string, changes: Partial<SectionPart> = {}): SectionPart => ({
  title,
  number: null,
  level: null,
  page: null,
  passages: [],
  ...changes,
});
const passage = (text: string) => ({ text, page: null });
const caption = 'The kitchen from above.';

describe('the parts of another parser', () => {
  it('leave what the parser does not give', () => {
    expect(replaced({})).toEqual(plainPaper);
    expect(replaced({ title: 'Ovens' })).toEqual({ ...plainPaper, title: 'Ovens' });
  });

  it('make a paper of our form', () => {
    const paper = replaced(readGrobidTei(grobidReply, pageSizes));
    expect(paperSchema.parse(paper)).toEqual(paper);
    expect(paper).toMatchObject({ year: 2021, equations: plainPaper.equations });
  });
});

describe('sections of another parser', () => {
  const list = [
    section('Method', { passages: [passage('We heat each oven to the same warmth and wait.')] }),
    section('Ovens', { passages: [passage('All ovens of the trial stand in one kitchen.')] }),
    section('Thanks', { passages: [passage('Nobody printed this.')] }),
  ];
  const paper = replaced({
    sections: { opening: [passage('Ovens are older than bread, as every baker knows.')], list },
  });

  it('get number, level and page of the heading that is printed', () => {
    expect(
      paper.sections.map(({ title, number, level, parent, pages }) => [
        title,
        number,
        level,
        parent,
        pages,
      ]),
    ).toEqual([
      ['Method', '2', 1, null, [1, 2]],
      ['Ovens', '2.1', 2, 0, [2]],
      ['Thanks', null, 1, null, [2]],
    ]);
  });

  it('are cut into chunks on the pages where their texts are printed', () => {
    expect(paper.chunks.map(({ page, section: index }) => [page, index])).toEqual([
      [1, null],
      [2, 0],
      [2, 1],
      [2, 2],
    ]);
  });

  it('are cut by sentence within 512 characters', () => {
    const sentence = `Bread ${'is warm '.repeat(40)}here.`;
    const long = section('Method', { passages: [passage(`${sentence} ${sentence}`)] });
    const { chunks, sections } = replaced({ sections: { opening: [], list: [long] } });
    expect(chunks.map(({ text }) => text)).toEqual([sentence, sentence]);
    expect(sections[0]?.text).toBe(`${sentence} ${sentence}`);
  });

  it('may have their number in the title', () => {
    const { sections } = replaced({
      sections: { opening: [], list: [section('2.1 Ovens')] },
    });
    expect(sections[0]).toMatchObject({ title: 'Ovens', number: '2.1', level: 2 });
  });
});

describe('items without a place', () => {
  it('get that of the item with their number', () => {
    const { figures } = replaced({
      figures: [{ ...nowhere, caption: 'Figure 1: Plan.', number: '1' }],
    });
    expect(figures).toEqual([
      { page: 2, box: [72, 100, 300, 200], caption: 'Figure 1: Plan.', number: '1' },
    ]);
  });

  it('get that of the item with their words, and its printed label', () => {
    const { figures } = replaced({ figures: [{ ...nowhere, caption, number: null }] });
    expect(figures).toEqual([
      { page: 2, box: [72, 100, 300, 200], caption: `Figure 1: ${caption}`, number: '1' },
    ]);
  });

  it('get the page where their text is printed, and no box', () => {
    const unseen = { ...plainPaper, figures: [] };
    const { figures } = replaceParts(unseen, { figures: [{ ...nowhere, caption, number: null }] });
    expect(figures).toEqual([{ page: 2, box: null, caption, number: null }]);
  });

  it('get the page of the item before them where nothing is printed', () => {
    const { equations } = replaced({
      equations: [
        { ...nowhere, latex: 'E = m c 2', number: '1' },
        { ...nowhere, latex: '\\alpha', number: null },
      ],
    });
    expect(equations.map(({ page, box }) => [page, box])).toEqual([
      [2, [200, 80, 90, 14]],
      [2, null],
    ]);
  });

  it('are not taken for items of another number', () => {
    const { figures } = replaced({
      figures: [{ ...nowhere, caption: `Figure 2: ${caption}`, number: '2' }],
    });
    expect(figures[0]).toMatchObject({ page: 2, box: null });
  });
});

describe('tables of another parser', () => {
  it('keep their own box, and get the cells where the parser reads none', () => {
    const { tables } = replaced({
      tables: [
        { caption: 'Table 1: Warmth.', number: '1', html: null, page: 1, box: [1, 2, 3, 4] },
      ],
    });
    expect(tables).toEqual([
      {
        caption: 'Table 1: Warmth.',
        number: '1',
        html: plainPaper.tables[0]?.html,
        page: 1,
        box: [1, 2, 3, 4],
      },
    ]);
  });

  it('lie on a page of the PDF', () => {
    const { tables } = replaced({
      tables: [{ caption: '', number: null, html: '<table></table>', page: 9, box: [1, 2, 3, 4] }],
    });
    expect(tables[0]).toMatchObject({ page: 1, box: null });
  });
});

describe('references of another parser', () => {
  it('keep the citations of the entries that are the same', () => {
    const entry = (text: string) => ({
      ...nowhere,
      text,
      label: null,
      authors: [],
      year: null,
      title: null,
    });
    const { references, citations } = replaced({
      references: [entry('D. Doe. On kitchens. 2001.'), entry('E. Eve. Salt. 2003.')],
    });
    expect(references.map(({ label, page, box }) => [label, page, box])).toEqual([
      ['2', 2, [72, 620, 300, 12]],
      [null, 2, null],
    ]);
    expect(citations).toEqual([{ page: 1, text: '[2]', reference: 0 }]);
    const { citations: none } = replaced({ references: [entry('E. Eve. Salt. 2003.')] });
    expect(none).toEqual([]);
  });
});
