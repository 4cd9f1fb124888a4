import { describe, expect, test } from 'vitest';
import { findCitations } from '../../../domain/extraction/citations/find-citations.js';
import type { TextLine } from '../../../domain/extraction/page-content.js';
import { findReferences } from '../../../domain/extraction/references.js';
import { contentOf, lineOf, pageOf, type LineSpec } from '../../support/extraction/pdf-content.js';

const heading: LineSpec = { text: 'References', fontSize: 14, font: 'Bold' };
const doe = 'Doe J (1999). “On Slow Queues.” Journal of Waiting, 3, 1–9.';
const roe = 'Roe B, Poe C (2003a). Fast Answers. Big Lake Press, Big Lake.';
const koe = 'van der Koe Z, Moe L, Noe M (2003b). “Patience.” Waiting, 4.';

function cited(text: readonly string[], list: readonly string[]): readonly [string, number][] {
  const content = contentOf([text, [heading, ...list]]);
  const { references, lines } = findReferences(content);
  return findCitations(content, references, lines).map(({ text: printed, reference }) => [
    printed,
    reference,
  ]);
}

const byName: readonly [string, readonly [string, number][]][] = [
  ['as Doe (1999) says', [['Doe (1999)', 0]]],
  ['it waits (Doe 1999).', [['Doe 1999', 0]]],
  [
    'it waits (Doe, 1999; Roe and Poe 2003a).',
    [
      ['Doe, 1999', 0],
      ['Roe and Poe 2003a', 1],
    ],
  ],
  ['it waits (see van der Koe et al., 2003b, p. 4)', [['van der Koe et al., 2003b', 2]]],
  ['of Roe & Poe (2003)', [['Roe & Poe (2003)', 1]]],
  ['of van der Koe, Moe, and Noe (2003)', [['van der Koe, Moe, and Noe (2003)', 2]]],
  ['of Doe (1998) and in 1999', []],
  ['of Roe and Moe (2003)', []],
];

test.each(byName)('citations by name: %s', (text, expected) => {
  expect(cited([text], [doe, roe, koe])).toEqual(expected);
});

test('a citation goes over the end of a line, and two letters name two entries', () => {
  const other = 'Roe B, Poe C (2003b). Faster Answers. Big Lake Press, Big Lake.';
  expect(cited(['as in Roe', 'and Poe (2003a,b)'], [doe, roe, other])).toEqual([
    ['Roe and Poe (2003a,b)', 1],
    ['Roe and Poe (2003a,b)', 2],
  ]);
});

const byLabel: readonly [string, readonly [string, number][]][] = [
  ['it waits [2].', [['[2]', 1]]],
  [
    'it waits [1, 3]',
    [
      ['[1, 3]', 0],
      ['[1, 3]', 2],
    ],
  ],
  [
    'it waits [1–3]',
    [
      ['[1–3]', 0],
      ['[1–3]', 1],
      ['[1–3]', 2],
    ],
  ],
  ['it waits [2, p. 12]', [['[2, p. 12]', 1]]],
  ['the value x[2] and the interval [0, 1]', []],
  ['[1] 0.25 0.75', []],
];

test.each(byLabel)('citations by label: %s', (text, expected) => {
  const list = [
    '[1] Doe, J. Slow queues. 1999.',
    '[2] Roe, B. Fast answers. 2003.',
    '[3] Koe, Z. Patience. 2004.',
  ];
  expect(cited([text], list)).toEqual(expected);
});

describe('citations of a numbered list without square brackets', () => {
  const list = [
    '1. Doe, J. Slow queues. Journal of Waiting, 1999.',
    '2. Roe, B. Fast answers. Journal of Waiting, 2003.',
    '3. Koe, Z. Patience of people. Journal of Waiting, 2004.',
  ];

  test('are numbers in round brackets, if they are no equations', () => {
    const text = ['It waits (1), and answers (2, 3).'];
    expect(cited(text, list)).toEqual([
      ['(1)', 0],
      ['(2, 3)', 1],
      ['(2, 3)', 2],
    ]);
    const content = contentOf([text, [heading, ...list]]);
    const { references, lines } = findReferences(content);
    expect(findCitations(content, references, lines, new Set(['1', '3']))).toEqual([]);
    expect(cited(['by Eq. (1) in steps (2) and in x(3)'], list)).toEqual([]);
  });

  test('are raised numbers behind words, which exponents are not', () => {
    const raised = raisedLine(['It waits.', '^1,3', 'and it answers', '^2', 'at x', '^2']);
    const content = contentOf([{ ...pageOf([]), lines: [raised] }, [heading, ...list]]);
    const { references, lines } = findReferences(content);
    expect(findCitations(content, references, lines)).toEqual([
      { page: 1, text: '1,3', reference: 0 },
      { page: 1, text: '1,3', reference: 2 },
      { page: 1, text: '2', reference: 1 },
    ]);
  });

  test('are not told from a few numbers: they name less than a third of a list', () => {
    const long = Array.from({ length: 9 }, (_, index) => `${index + 1}. ${doe}`);
    expect(cited(['as said (1) and (2)'], long)).toEqual([]);
  });
});

/** A line whose pieces with a `^` in front of them are small and raised. */
function raisedLine(pieces: readonly string[]): TextLine {
  const line = lineOf(pieces.map((piece) => piece.replace('^', '')).join(' '));
  const raised = new Set(
    pieces.flatMap((piece) => (piece.startsWith('^') ? [piece.slice(1)] : [])),
  );
  const runs = line.runs.map((run) =>
    raised.has(run.text) ? { ...run, fontSize: 7, baseline: run.baseline - 4, spaced: false } : run,
  );
  return { ...line, runs };
}
