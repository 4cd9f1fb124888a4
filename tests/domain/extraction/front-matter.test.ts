import { expect, test } from 'vitest';
import { venueNames } from '../../../domain/extraction/front-matter/imprint.js';
import { findFrontMatter } from '../../../domain/extraction/front-matter.js';
import type { TextLine } from '../../../domain/extraction/page-content.js';
import type { FrontMatter } from '../../../domain/extraction/paper.js';
import { contentOf, lineOf, pageOf, type LineSpec } from '../../support/extraction/pdf-content.js';

const sentence = 'This is how the text of the body is set, in lines that are all of the same size.';
const body: readonly LineSpec[] = Array.from({ length: 12 }, (_, index) => ({
  text: sentence,
  y: 420 + 12 * index,
}));
const centred = (text: string, y: number, fontSize: number, font = 'Serif'): LineSpec => ({
  text,
  x: 306 - (text.length * fontSize) / 4,
  y,
  fontSize,
  font,
});

interface Stated {
  readonly title?: string;
  readonly author?: string;
}

function read(lines: readonly LineSpec[], { title = '', author = '' }: Stated = {}): FrontMatter {
  const content = contentOf([[...lines, ...body]], {
    properties: { title, author, keywords: '' },
  });
  return findFrontMatter(content).frontMatter;
}

const heading = (text: string): LineSpec => ({ text, y: 400, fontSize: 12, font: 'Bold' });
const introduction = heading('1 Introduction');

const titles: readonly [string, readonly LineSpec[], Stated, string | null, string | null][] = [
  ['one line', [centred('On Slow Queues', 100, 17)], {}, 'On Slow Queues', null],
  [
    'two lines',
    [centred('On Slow Queues and', 100, 17), centred('Fast Answers', 120, 17)],
    {},
    'On Slow Queues and Fast Answers',
    null,
  ],
  [
    'with the mark of a footnote',
    [centred('On Slow Queues∗', 100, 17)],
    {},
    'On Slow Queues',
    null,
  ],
  [
    'below the name of a journal',
    [
      centred('Journal of Waiting', 60, 24),
      centred('May 2010, Volume 3, Issue 2', 80, 10),
      centred('On Slow Queues', 160, 17),
    ],
    {},
    'On Slow Queues',
    null,
  ],
  [
    'as its property, which the page prints',
    [centred('Slow Queues', 100, 17), centred('A second look', 120, 17)],
    { title: 'Slow queues' },
    'Slow queues: A second look',
    'A second look',
  ],
  [
    'not as its property, which the page does not print',
    [centred('On Slow Queues', 100, 17)],
    { title: 'CMR10' },
    'On Slow Queues',
    null,
  ],
  [
    'as its property where the print lost letters',
    [centred('On E cient Queues', 100, 17)],
    { title: 'On Efficient Queues' },
    'On Efficient Queues',
    null,
  ],
  [
    'with a subtitle in smaller type',
    [centred('On Slow Queues', 100, 17), centred('A guide for the waiting', 122, 13)],
    {},
    'On Slow Queues: A guide for the waiting',
    'A guide for the waiting',
  ],
  [
    'whose colon leads to a subtitle in smaller type',
    [centred('Slow Queues:', 100, 17), centred('A guide for the waiting', 122, 13)],
    {},
    'Slow Queues: A guide for the waiting',
    'A guide for the waiting',
  ],
  [
    'that is a question, with a subtitle of two lines',
    [
      centred('Why Wait?', 100, 17),
      centred('A guide for the waiting', 122, 13),
      centred('and for the late', 138, 13),
    ],
    {},
    'Why Wait? A guide for the waiting and for the late',
    'A guide for the waiting and for the late',
  ],
  [
    'above names and what they did in larger type',
    [
      centred('On Slow Queues', 100, 17),
      centred('Jane Doe and Bob Roe, after a version of Eve Koe', 130, 13),
    ],
    { author: 'Jane Doe and Bob Roe' },
    'On Slow Queues',
    null,
  ],
  [
    'above a single name in larger type',
    [centred('On Slow Queues', 100, 17), centred('Laurent', 130, 13)],
    {},
    'On Slow Queues',
    null,
  ],
  [
    'above the name of its file in larger type',
    [
      centred('On Slow Queues', 100, 17),
      centred('File: ms.rev', 130, 13),
      centred('in: /home/doe/work', 146, 13),
    ],
    {},
    'On Slow Queues',
    null,
  ],
  [
    'in capitals of the size of the body',
    [centred('ON SLOW QUEUES', 100, 10), centred('JANE DOE', 130, 8)],
    {},
    'ON SLOW QUEUES',
    null,
  ],
  ['of no page that begins with its text', [], {}, null, null],
];

test.each(titles)('a title %s', (_, lines, stated, title, subtitle) => {
  expect(read([...lines, introduction], stated)).toMatchObject({ title, subtitle });
});

const title = centred('On Slow Queues', 100, 17);
const grid: readonly LineSpec[] = [
  { text: 'Jane Doe', x: 100, y: 140, fontSize: 12, font: 'Bold' },
  { text: 'University of Somewhere', x: 80, y: 154 },
  { text: 'Ada van der Berg', x: 340, y: 140, fontSize: 12, font: 'Bold' },
  { text: 'Institute of Waiting', x: 330, y: 154 },
  { text: 'Lost Creek', x: 345, y: 166 },
];

const authors: readonly [
  string,
  readonly LineSpec[],
  string,
  readonly string[],
  readonly string[],
][] = [
  [
    'in one line',
    [centred('Jane Doe, A. B. Roe and Zoë O’Neil', 140, 12)],
    '',
    ['Jane Doe', 'A. B. Roe', 'Zoë O’Neil'],
    [],
  ],
  [
    'in two lines',
    [centred('Jane Doe, Bob Roe, Carla', 140, 12), centred('Poe, and Zoë Koe', 154, 12)],
    '',
    ['Jane Doe', 'Bob Roe', 'Carla Poe', 'Zoë Koe'],
    [],
  ],
  [
    'one a line',
    [centred('Jane Doe', 140, 12), centred('Bob Roe', 154, 12), centred('May 4, 2021', 180, 12)],
    '',
    ['Jane Doe', 'Bob Roe'],
    [],
  ],
  [
    'in columns over their affiliations',
    grid,
    '',
    ['Jane Doe', 'Ada van der Berg'],
    ['University of Somewhere', 'Institute of Waiting, Lost Creek'],
  ],
  [
    'above their affiliations in the same type',
    [
      centred('Jane Doe', 140, 12),
      centred('University of Somewhere', 154, 12),
      centred('Bob Roe', 185, 12),
      centred('Slow College, Big Lake', 199, 12),
    ],
    '',
    ['Jane Doe', 'Bob Roe'],
    ['University of Somewhere', 'Slow College, Big Lake'],
  ],
  [
    'with symbols and an e-mail address',
    [centred('Jane Doe∗ and Bob Roe†', 140, 12), centred('{jane, bob}@example.org', 154, 10)],
    '',
    ['Jane Doe', 'Bob Roe'],
    [],
  ],
  ['in capitals', [centred('JANE DOE AND BOB ROE', 140, 8)], '', ['JANE DOE', 'BOB ROE'], []],
  [
    'that a team signs',
    [centred('The slow queue authors', 140, 12)],
    '',
    ['The slow queue authors'],
    [],
  ],
  ['that are a team', [centred('Slow Core Team', 140, 12)], '', ['Slow Core Team'], []],
  [
    'of whom one is a team, in larger type',
    [centred('Jane Doe, Slow Core Team', 130, 13)],
    '',
    ['Jane Doe', 'Slow Core Team'],
    [],
  ],
  [
    'of which the property names one',
    [centred('Jane Doe and Bob Roe', 140, 12)],
    'Bob Roe',
    ['Jane Doe', 'Bob Roe'],
    [],
  ],
  [
    'in the order of the page',
    [centred('Jane Doe and Bob Roe', 140, 12)],
    'Bob Roe, Jane Doe',
    ['Jane Doe', 'Bob Roe'],
    [],
  ],
  [
    'that only the property divides',
    [centred('Jane Doe with help from Bob Roe', 140, 12)],
    'Jane Doe, Bob Roe',
    ['Jane Doe', 'Bob Roe'],
    [],
  ],
  ['that the page does not name', [], 'tyler durden', [], []],
];

test.each(authors)('authors %s', (_, lines, author, names, affiliations) => {
  expect(read([title, ...lines, introduction], { author })).toMatchObject({
    authors: names,
    affiliations,
  });
});

test('the foot of a page is no affiliation where the text layer begins with it', () => {
  const foot = { text: '© 2021 The Authors. Published by the University.', y: 750, fontSize: 8 };
  const note = { text: 'This is a note that is as long as it has to be.', y: 764, fontSize: 8 };
  const lines = [foot, note, title, centred('Jane Doe', 140, 12), introduction];
  expect(read(lines)).toMatchObject({ authors: ['Jane Doe'], affiliations: [] });
});

/** The words are raised and smaller, as marks of affiliations are. */
function withRaised(line: TextLine, ...marks: readonly string[]): TextLine {
  const runs = line.runs.map((run) =>
    marks.includes(run.text)
      ? { ...run, spaced: false, baseline: run.baseline - 4, fontSize: run.fontSize * 0.6 }
      : run,
  );
  return {
    ...line,
    runs,
    text: runs.map(({ text, spaced }) => (spaced ? ` ${text}` : text)).join(''),
  };
}

test('raised marks are no part of names and begin affiliations', () => {
  const names = withRaised(
    lineOf({ text: 'Jane Doe 1,2 Bob Roe a and Eve Koe b', y: 140, fontSize: 12, font: 'Bold' }),
    '1,2',
    'a',
    'b',
  );
  const place = withRaised(lineOf({ text: '1 University of Somewhere', y: 160, fontSize: 9 }), '1');
  const page = pageOf([title, introduction, ...body]);
  const [first, ...rest] = page.lines;
  const lines = first === undefined ? [] : [first, names, place, ...rest];
  const { frontMatter } = findFrontMatter(contentOf([{ ...page, lines }]));
  expect(frontMatter.authors).toEqual(['Jane Doe', 'Bob Roe', 'Eve Koe']);
  expect(frontMatter.affiliations).toEqual(['University of Somewhere']);
});

test('a page without usable text says what the properties say', () => {
  const properties = { title: 'On Slow Queues', author: 'Jane Doe; Bob Roe', keywords: 'a, b' };
  const broken = pageOf(['❆❜str❛❝t ♦❢ t❤❡'], { unusable: 'its glyphs are wrong' });
  expect(findFrontMatter(contentOf([broken, body], { properties })).frontMatter).toMatchObject({
    title: 'On Slow Queues',
    authors: ['Jane Doe', 'Bob Roe'],
    keywords: ['a', 'b'],
  });
});

test('no title where the first page begins with a heading, and has others that are set like it', () => {
  const set = (text: string, y: number): LineSpec => ({ text, y, fontSize: 14, font: 'Bold' });
  const headings = [set('Introduction', 72), set('Courses', 250), set('Website', 330)];
  const page = contentOf([[...headings, ...body]]);
  expect(findFrontMatter(page).frontMatter.title).toBeNull();
});

test('a title on page 2 behind a cover without text', () => {
  const content = contentOf([[], [title, centred('Jane Doe', 140, 12), ...body]]);
  expect(findFrontMatter(content).frontMatter).toMatchObject({
    title: 'On Slow Queues',
    authors: ['Jane Doe'],
  });
});

test('the abstract ends at the keywords, and these at the next heading', () => {
  const { abstract, keywords } = read([
    title,
    { text: 'Abstract', y: 200, fontSize: 11 },
    { text: 'We wait for the', y: 214, fontSize: 9 },
    { text: 'answer of a queue.', y: 226, fontSize: 9 },
    { text: 'Keywords: queues, slow answers,', y: 250, fontSize: 9 },
    { text: 'patience.', y: 261, fontSize: 9 },
    introduction,
  ]);
  expect(abstract).toBe('We wait for the answer of a queue.');
  expect(keywords).toEqual(['queues', 'slow answers', 'patience']);
});

test('an abstract behind its heading in the same line', () => {
  expect(read([title, { text: 'Abstract—We wait.', y: 200 }, introduction]).abstract).toBe(
    'We wait.',
  );
});

const imprints: readonly [string, readonly LineSpec[], Partial<FrontMatter>][] = [
  ['the date below the authors', [centred('12 May 2019', 180, 10)], { year: 2019, venue: null }],
  [
    'a journal, its volume and DOI',
    [
      centred('Journal of Waiting', 40, 24),
      centred('2010, Volume 3. doi: 10.1234/jw.v3.i2.', 60, 10),
    ],
    { year: 2010, venue: 'Journal of Waiting', doi: '10.1234/jw.v3.i2' },
  ],
  [
    'the stamp of a preprint server',
    [{ text: 'arXiv:2101.01234v2 [cs.DB] 3 Jan 2021', x: 20, y: 600, upright: false }],
    { year: 2021, arxivId: '2101.01234v2' },
  ],
  [
    'the proceedings at the foot of the page',
    [
      { text: 'Proceedings of the 3rd Conference on Waiting, pages 1-9', y: 760, fontSize: 8 },
      { text: 'May 2-4, 2018', y: 770, fontSize: 8 },
    ],
    { year: 2018, venue: 'Proceedings of the 3rd Conference on Waiting, pages 1-9' },
  ],
  [
    'the meeting in the small print on page 1',
    [
      { text: 'WAIT’18, May 2–4, 2018, Lakeside, Norway.', y: 760, fontSize: 7 },
      { text: 'Copyright 2018 ACM 978-1-00000-000-1', y: 768, fontSize: 7 },
    ],
    { year: 2018, venue: 'WAIT’18, May 2–4, 2018, Lakeside, Norway.' },
  ],
  [
    'a name in two lines, and the address of the preprint',
    [
      { text: 'Proceedings of the 3rd Conference on Waiting', y: 750, fontSize: 8 },
      { text: 'and the 2nd Workshop on Patience, pages 1–9, 2018.', y: 760, fontSize: 8 },
      { text: 'https://arxiv.org/abs/1801.01234', y: 770, fontSize: 8 },
    ],
    {
      venue:
        'Proceedings of the 3rd Conference on Waiting and the 2nd Workshop on Patience, pages 1–9, 2018.',
      arxivId: '1801.01234',
    },
  ],
  [
    'a sentence about a journal',
    [centred('The Journal of Waiting is where we were told to look', 180, 10)],
    { venue: null },
  ],
  [
    'another paper in the running text',
    [{ text: 'see doi 10.1234/other published in May 2001', y: 640 }],
    { year: null, doi: null },
  ],
];

test.each(imprints)('the imprint from %s', (_, lines, expected) => {
  expect(read([title, ...lines, introduction])).toMatchObject(expected);
});

const venues: readonly [string, string, string | null][] = [
  ['Journal of Waiting 2016;70(10):1–35. doi:10.1234/jw.v3.', 'Journal of Waiting', null],
  ['WAIT’18, May 2–4, 2018, Lakeside, Norway.', 'WAIT', 'WAIT'],
  ['3rd Conference on Waiting (WaitCon 2022).', '3rd Conference on Waiting', 'WaitCon'],
  ['Published as a conference paper at WAIT 2021', 'WAIT', 'WAIT'],
  ['The 2nd Workshop on Patience, pages 1–9', '2nd Workshop on Patience', null],
  ['IEEE TRANSACTIONS ON WAITING, VOL. 12, NO. 3', 'IEEE TRANSACTIONS ON WAITING', null],
];

test.each(venues)('the names in %s', (venue, full, short) => {
  expect(venueNames(venue)).toEqual({ full, short });
});
