import { expect, test } from 'vitest';
import type { PdfContent } from '../../../domain/extraction/page-content.js';
import { findReferences } from '../../../domain/extraction/references.js';
import { contentOf, type LineSpec } from '../../support/extraction/pdf-content.js';

const heading: LineSpec = { text: 'References', fontSize: 14, font: 'Bold' };
const at = (x: number, ...texts: readonly string[]): readonly LineSpec[] =>
  texts.map((text) => ({ text, x }));

const texts = (content: PdfContent): readonly string[] =>
  findReferences(content).references.map(({ text }) => text);

const doe = 'Doe J (1999). “On Slow Queues.” Journal of Waiting, 3, 1–9.';
const roe = 'Roe B, Poe C (2003a). Fast Answers. Big Lake Press, Big Lake.';
const koe = 'van der Koe Z, Moe L, Noe M (2003b). “Patience.” Waiting, 4.';

const lists: readonly [string, readonly (readonly LineSpec[])[], readonly string[]][] = [
  [
    'with hanging indents',
    [
      [
        heading,
        ...at(72, 'Doe J (1999). “On Slow'),
        ...at(84, 'Queues.” Journal of Waiting,', '3, 1–9.'),
        ...at(72, 'Roe B, Poe C (2003a). Fast'),
        ...at(84, 'Answers. Big Lake Press, Big', 'Lake.'),
      ],
    ],
    [doe, roe],
  ],
  [
    'with hanging indents over the end of a page',
    [
      [
        heading,
        ...at(72, 'Doe J (1999). “On Slow'),
        ...at(84, 'Queues.” Journal of Waiting, 3, 1–9.'),
        ...at(72, 'Roe B, Poe C (2003a). Fast'),
      ],
      [
        { text: 'Answers. Big Lake Press, Big Lake.', x: 84 },
        { text: koe, x: 72 },
      ],
    ],
    [doe, roe, koe],
  ],
  [
    'in two columns',
    [
      [
        heading,
        { text: 'Doe J (1999). “On Slow', x: 72, y: 300 },
        { text: 'Queues.” Journal of Waiting, 3, 1–9.', x: 84, y: 312 },
        { text: 'Roe B, Poe C (2003a). Fast', x: 320, y: 80 },
        { text: 'Answers. Big Lake Press, Big Lake.', x: 332, y: 92 },
      ],
    ],
    [doe, roe],
  ],
  [
    'with gaps between entries',
    [
      [
        heading,
        { text: 'Doe J (1999). “On Slow', y: 120 },
        { text: 'Queues.” Journal of Waiting, 3, 1–9.', y: 132 },
        { text: 'Roe B, Poe C (2003a). Fast', y: 152 },
        { text: 'Answers. Big Lake Press, Big Lake.', y: 164 },
      ],
    ],
    [doe, roe],
  ],
  [
    'told by their wording alone',
    [[heading, ...at(72, doe, 'Roe B, Poe C (2003a). Fast', 'Answers. Big Lake Press, Big Lake.')]],
    [doe, roe],
  ],
  [
    'with bullets',
    [
      [
        heading,
        ...at(72, `• ${doe}`, '• Roe B, Poe C (2003a). Fast'),
        ...at(80, 'Answers. Big Lake Press, Big Lake.'),
      ],
    ],
    [doe, roe],
  ],
  [
    'up to an appendix',
    [
      [
        heading,
        ...at(72, doe, roe),
        { text: 'A Proofs', fontSize: 14, font: 'Bold' },
        'The proof of 1999 is short.',
      ],
    ],
    [doe, roe],
  ],
  [
    'up to the addresses of the authors',
    [[heading, ...at(72, doe, roe), 'Affiliation:', 'Jane Doe, University of Somewhere']],
    [doe, roe],
  ],
  [
    'up to the lines of an address with an e-mail address',
    [
      [
        heading,
        { text: doe, y: 120 },
        { text: roe, y: 132 },
        { text: 'Jane Doe', y: 156 },
        { text: 'Department of Waiting', y: 168 },
        { text: 'University of Somewhere, 2000 Big Lake', y: 180 },
        { text: 'jane.doe@example.org', y: 192 },
        { text: 'Bob Roe', y: 216 },
        { text: 'bob@example.org', y: 228 },
      ],
    ],
    [doe, roe],
  ],
  [
    'with an address broken at the end of a line',
    [
      [
        heading,
        ...at(72, 'Doe J (1999). Slow Queues. URL https://example.org/'),
        ...at(84, 'queues.html.'),
        ...at(72, roe),
      ],
    ],
    ['Doe J (1999). Slow Queues. URL https://example.org/queues.html.', roe],
  ],
  [
    'below the last heading, not in the contents',
    [
      [
        { text: 'References', y: 100 },
        { text: '9', x: 500, y: 100 },
        { text: 'This is the text.', y: 130 },
      ],
      [heading, ...at(72, doe, roe)],
    ],
    [doe, roe],
  ],
  ['of a paper without any', [['Introduction', 'This is the text.']], []],
  [
    'that are text instead',
    [[heading, 'see the manual of the queue for how', 'it is read by those who wait']],
    [],
  ],
];

test.each(lists)('references %s', (_, pages, expected) => {
  expect(texts(contentOf(pages))).toEqual(expected);
});

const labelled: readonly [string, readonly string[], readonly (string | null)[]][] = [
  [
    'numbers in brackets',
    [
      '[1] Doe, J. Slow queues. 1999.',
      '[2] Roe, B. Fast',
      'answers. 2003.',
      '[3] Koe, Z. Patience. 2004.',
    ],
    ['1', '2', '3'],
  ],
  [
    'numbers',
    ['1. Doe, J. Slow queues. 1999, pp. 4–', '9. Big Lake.', '2. Roe, B. Fast answers. 2003.'],
    ['1', '2'],
  ],
  [
    'keys',
    ['[Doe99] Doe, J. Slow queues. 1999.', '[RP03] Roe, B. and Poe, C. Fast', 'answers. 2003.'],
    ['Doe99', 'RP03'],
  ],
  [
    'many names and years',
    [
      '[Doe (1999)] Doe, J. (1999) Slow queues.',
      '[Roe, Poe, and the Waiting Group (2003)] Roe, B., Poe, C. (2003) Fast',
      'answers. Big Lake.',
    ],
    ['Doe (1999)', 'Roe, Poe, and the Waiting Group (2003)'],
  ],
];

test.each(labelled)('labels that are %s', (_, lines, labels) => {
  const { references } = findReferences(contentOf([[heading, ...lines]]));
  expect(references.map(({ label }) => label)).toEqual(labels);
  expect(references.every(({ text }) => /^[DRK]oe/.test(text))).toBe(true);
});

const entries: readonly [string, readonly string[], number | null, string | null][] = [
  [doe, ['Doe J'], 1999, 'On Slow Queues'],
  [roe, ['Roe B', 'Poe C'], 2003, 'Fast Answers'],
  [
    'Doe, J., Roe, B. A., and Poe, C. (1999). Slow queues. Waiting 3.',
    ['Doe, J.', 'Roe, B. A.', 'Poe, C.'],
    1999,
    'Slow queues',
  ],
  [
    'J. Doe and B. A. Roe. Slow queues. Waiting, 3:1–9, 1999.',
    ['J. Doe', 'B. A. Roe'],
    1999,
    'Slow queues',
  ],
  [
    'Doe, Jane, and Bob Roe. 1999. “Slow Queues.” Waiting 3 (2): 1–9.',
    ['Doe, Jane', 'Bob Roe'],
    1999,
    'Slow Queues',
  ],
  [
    'J. Doe, B. Roe, “Slow queues,” Waiting, vol. 3, 1999.',
    ['J. Doe', 'B. Roe'],
    1999,
    'Slow queues',
  ],
  [
    'Slow Core Team (2010). Queue: A Language. Big Lake.',
    ['Slow Core Team'],
    2010,
    'Queue: A Language',
  ],
];

test.each(entries)('reads %s', (text, authors, year, title) => {
  const { references } = findReferences(contentOf([[heading, text]]));
  expect(references).toMatchObject([{ text, authors, year, title, page: 1 }]);
});

test('a dash repeats the authors of the entry above', () => {
  const { references } = findReferences(
    contentOf([[heading, doe, '——— (2001). More Queues. Big Lake.']]),
  );
  expect(references[1]).toMatchObject({ authors: ['Doe J'], year: 2001 });
});

test('an entry has the box of its lines on its first page, and its lines are returned', () => {
  const content = contentOf([
    [
      { ...heading, y: 100 },
      { text: doe, y: 120 },
      { text: roe, x: 72, y: 140 },
    ],
  ]);
  const { references, lines } = findReferences(content);
  expect(references[0]?.box?.slice(0, 2)).toEqual([72, 111]);
  expect(lines).toEqual(content.pages[0]?.lines.slice(1));
});

test('running heads are no part of an entry', () => {
  const content = contentOf([
    [heading, ...at(72, 'Doe J (1999). “On Slow')],
    [
      { text: '12 On Slow Queues', x: 72 },
      { text: 'Queues.” Journal of Waiting, 3, 1–9.', x: 84 },
      { text: roe, x: 72 },
    ],
  ]);
  const head = content.pages[1]?.lines.slice(0, 1) ?? [];
  expect(findReferences(content, new Set(head)).references.map(({ text }) => text)).toEqual([
    doe,
    roe,
  ]);
});
