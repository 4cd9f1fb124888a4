import { describe, expect, it } from 'vitest';
import {
  assign,
  isAlike,
  isSame,
  isSameWording,
  PrintedText,
} from '../../../bench/extraction/compare.js';
import {
  scoreAuthors,
  scoreTitle,
  scoreCaptions,
  scoreLevels,
  scoreSections,
} from '../../../bench/extraction/measures.js';
import type { MeasuredPaper } from '../../../bench/extraction/papers.js';
import { findingsOf, rowsOf } from '../../../bench/extraction/report.js';
import {
  scoreReadingOrder,
  scoreReferenceCount,
  scoreReferenceEntries,
  scoreSimilarity,
} from '../../../bench/extraction/text-measures.js';
import { gap, type PaperTruth } from '../../../bench/extraction/truth.js';
import type { Paper, Section } from '../../../domain/extraction/paper.js';

const noTruth: PaperTruth = {
  titles: [],
  authors: null,
  abstract: null,
  sections: [],
  possibleSections: [],
  captions: [],
  references: null,
  paragraphs: [],
  displayEquations: 0,
  columns: 1,
};
const noPaper: Paper = {
  ...{ title: null, subtitle: null, authors: [], affiliations: [], abstract: null, keywords: [] },
  ...{ year: null, venue: null, doi: null, arxivId: null, pages: [], sections: [], tables: [] },
  ...{ figures: [], equations: [], references: [], citations: [], footnotes: [], chunks: [] },
};
function measured(truth: Partial<PaperTruth>, paper: Partial<Paper>, bare: string): MeasuredPaper {
  return {
    name: 'lantern',
    truth: { ...noTruth, ...truth },
    paper: { ...noPaper, ...paper },
    content: { properties: { title: '', author: '', keywords: '' }, outline: [], pages: [] },
    bare,
    whole: new PrintedText(bare),
    front: new PrintedText(bare),
  };
}
const section = (title: string, level = 1, number: string | null = null): Section => ({
  ...{ title, level, number, parent: null, text: '', pages: [1] },
});
const place = { page: 1, box: [0, 0, 9, 9] as const };

describe('comparison', () => {
  it('ignores case, accents, spaces and signs', () => {
    expect(isSame('The "Wet" Meadow', 'the wet mea-\ndow')).toBe(true);
    expect(isSame('Höhle', 'Hohle')).toBe(true);
    expect(isSame('Meadow', 'Meadows')).toBe(false);
    expect(isSame('', '')).toBe(false);
  });

  it('lets a gap stand for some text, and for none', () => {
    expect(isSame(`the ${gap} of ${gap}`, 'the x of y z')).toBe(true);
    expect(isSame(`the ${gap} lamp`, 'the lamp')).toBe(true);
    expect(isSame(`the ${gap} lamp`, `the ${'x'.repeat(100)} lamp`)).toBe(false);
  });

  it('wants the words of a title apart and no mark of a note', () => {
    expect(isSameWording('On: Lamps', 'ON LAMPS')).toBe(true);
    expect(isSameWording('On Lamps', 'OnLamps')).toBe(false);
    expect(isSameWording('On Lamps', 'On Lamps*')).toBe(false);
  });

  it('forgives some characters in a long text', () => {
    const text = 'Coefficients of all lamps by meadow and month';
    expect(isAlike(text, text.replace('ffi', ''))).toBe(true);
    expect(isAlike(text, text.slice(0, 20))).toBe(false);
  });

  it('finds printed text in spite of lost ligatures', () => {
    expect(new PrintedText('… The coecients …').holds('The coefficients')).toBe(true);
    expect(new PrintedText('… The lamps …').holds(`The ${gap} lamps`)).toBe(true);
    expect(new PrintedText('… The lamps …').holds('The moths')).toBe(false);
  });

  it('gives each found item to one true item', () => {
    expect(assign(['a', 'a', 'b'], ['b', 'a'], (x, y) => x === y)).toEqual([1, -1, 0]);
  });
});

describe('front matter', () => {
  it('accepts a title with its subtitle', () => {
    const paper = measured(
      { titles: ['Lamps: A Study'] },
      { title: 'Lamps: A Study', subtitle: 'A Study' },
      'Lamps A Study',
    );
    expect(scoreTitle(paper)).toMatchObject({ right: 1, expected: 1 });
  });

  it('does not judge what the PDF does not print', () => {
    expect(scoreTitle(measured({ titles: ['Lamps'] }, { title: 'Owls' }, 'Owls'))).toBeNull();
    expect(scoreAuthors(measured({ authors: ['Ada Field'] }, {}, 'nobody'))).toBeNull();
  });

  it('wants all authors in order', () => {
    const score = (authors: readonly string[]): number | undefined =>
      scoreAuthors(
        measured(
          { authors: ['Ada Field', 'Bo Marsh'] },
          { authors: [...authors] },
          'Ada Field, Bo Marsh',
        ),
      )?.right;
    expect(score(['Ada Field', 'Bo Marsh'])).toBe(1);
    expect(score(['Bo Marsh', 'Ada Field'])).toBe(0);
    expect(score(['Ada Field'])).toBe(0);
  });
});

describe('structure', () => {
  const sections = [
    { level: 1, title: 'Introduction' },
    { level: 2, title: 'Lamps' },
    { level: 1, title: 'Not printed' },
    ...['Moths', 'Owls', 'Bats'].map((title) => ({ level: 1, title })),
  ];
  const bare = 'Introduction Lamps Moths Owls Bats References';

  it('counts missed and wrong sections, not those that a document class prints', () => {
    const found = [
      section('Introduction'),
      section('Lamps', 1),
      section('References'),
      section('Table 1'),
    ];
    const paper = measured({ sections }, { sections: found }, bare);
    expect(scoreSections(paper)).toEqual({
      right: 2,
      expected: 5,
      found: 3,
      faults: ['- # Moths', '- # Owls', '- # Bats', '+ #  Table 1 (page 1)'],
    });
    expect(scoreLevels(paper)).toMatchObject({ right: 1, expected: 2 });
  });

  it('takes a number that the source spells out for a part of the title', () => {
    const paper = measured(
      { sections: [{ level: 1, title: '1. Why?' }] },
      { sections: [section('Why?', 1, '1')] },
      '1. Why?',
    );
    expect(scoreSections(paper)).toMatchObject({ right: 1, found: 1 });
  });

  it('does not judge sections of which the PDF prints less than four fifths', () => {
    expect(scoreSections(measured({ sections }, {}, 'Introduction Lamps'))).toBeNull();
  });

  it('wants captions of the right kind with a box', () => {
    const captions = [{ kind: 'figure' as const, text: `A lamp of ${gap} volts`, cells: [] }];
    const figure = { ...place, caption: 'Figure 1: A lamp of 9 volts', number: '1' };
    const score = (paper: Partial<Paper>): number | undefined =>
      scoreCaptions('figure', measured({ captions }, paper, 'A lamp of 9 volts'))?.right;
    expect(score({ figures: [figure] })).toBe(1);
    expect(score({ figures: [{ ...figure, box: [0, 0, 0, 0] }] })).toBe(0);
    expect(score({ tables: [{ ...figure, html: '' }] })).toBe(0);
  });
});

describe('text', () => {
  const sentence = (name: string): string =>
    Array.from({ length: 6 }, (_, index) => `${name}${'abcdef'[index] ?? ''}`).join(' ');
  const names = 'k m n o p q r s t u v w'.split(' ').map(sentence);
  const order = (pages: readonly string[]): number | undefined =>
    scoreReadingOrder(
      measured(
        { paragraphs: [names.join(' ')] },
        { pages: pages.map((text) => ({ width: 1, height: 1, text, unusable: null })) },
        names.join(' '),
      ),
    )?.right;

  it('follows the phrases of a paragraph', () => {
    expect(order([names.join(' ')])).toBe(11);
    const [first = '', second = '', ...rest] = names;
    expect(order([[second, first, ...rest].join(' ')])).toBe(10);
  });

  it('follows a phrase over the end of a page', () => {
    const all = names.join(' ').split(' ');
    expect(order([`${all.slice(0, 8).join(' ')} 1`, `head ${all.slice(8).join(' ')}`])).toBe(11);
  });

  it('counts references, and those whose text or parts are whole', () => {
    const entry = (text: string): Paper['references'][number] => ({
      ...{ ...place, text, label: null, authors: [], year: null, title: null },
    });
    const references = [{ parts: ['On Glow', '2001', 'Field'] }, { parts: ['Marsh, B. Moths.'] }];
    const bare = 'References A. Field. On Glow. 2001. Marsh, B. Moths.';
    const whole = [entry('A. Field. On Glow. 2001.'), entry('Marsh, B. Moths.')];
    const cut = [entry('A. Field. On Glow.'), entry('2001. Marsh, B. Moths. And much more of it.')];
    const paper = measured({ references }, { references: whole }, bare);
    expect(scoreReferenceCount(paper)).toMatchObject({ right: 1 });
    expect(scoreReferenceEntries(paper)).toMatchObject({ right: 2, expected: 2 });
    const torn = measured({ references }, { references: cut }, bare);
    expect(scoreReferenceEntries(torn)).toMatchObject({ right: 0, expected: 2 });
    const one = measured({ references }, { references: whole.slice(1) }, bare);
    expect(scoreReferenceCount(one)).toMatchObject({ right: 0 });
  });

  it('compares running text word by word and excuses words at gaps', () => {
    const text = (found: string): unknown =>
      scoreSimilarity(
        measured(
          { paragraphs: [`the lamps of ${gap} glow at night`] },
          { sections: [{ ...section('One'), text: found }] },
          '',
        ),
      );
    expect(text('the lamps of figure 1 glow at night')).toEqual({
      ...{ right: 12, expected: 12, found: 12, faults: [] },
    });
    expect(text('the lamps glow at night 17')).toEqual({
      ...{ right: 10, expected: 12, found: 12, faults: ['- of', '+ 17'] },
    });
  });
});

describe('the table', () => {
  const scores = [
    { paper: 'a', score: { right: 1, expected: 2, found: 1, faults: [] } },
    { paper: 'b', score: { right: 2, expected: 2, found: 4, faults: [] } },
  ];

  it('adds up the items of all papers', () => {
    const rows = rowsOf({ name: 'lamps', aims: { recall: 0.7, precision: 0.7 }, scores });
    expect(rows).toMatchObject([
      { name: 'lamps', papers: 2, items: 4, value: 0.75 },
      { name: 'lamps, precision', value: 0.6 },
    ]);
    expect(findingsOf(rows, []).problems).toEqual([
      'lamps, precision: 0.600, but must be at least 0.7',
    ]);
  });

  it('has F1 over all and as the mean, and shares that must be small', () => {
    expect(rowsOf({ name: 'cells', aims: {}, as: 'F1', scores }).map(({ value }) => value)).toEqual(
      [2 / 3, (2 / 3 + 2 / 3) / 2],
    );
    const missed = rowsOf({ name: 'none', aims: { recall: 0.1 }, as: 'share missed', scores });
    expect(missed).toMatchObject([{ value: 0.25, aim: { bound: 'at most', limit: 0.1 } }]);
  });

  it('leaves out a measure that fits no paper', () => {
    expect(rowsOf({ name: 'lamps', aims: {}, scores: [] })).toEqual([]);
  });
});
