import { describe, expect, it } from 'vitest';
import { ungroundedValues } from '../../../domain/agent/grounding.js';
import { anyValueOfJson, type Action } from '../../../domain/agent/actions/action.js';
import {
  renderRows,
  defaultObservationStyle,
} from '../../../domain/agent/observations/observation.js';
import type { Json } from '../../../domain/formats/python/value.js';
import { seededDraw } from '../../../simulator/faults.js';
import { exampleReply } from '../../support/runs/example-records.js';

const turnOf = (action: Action, observation: string, found = true) => ({
  reply: exampleReply(1, action),
  observation,
  facts: {
    tool: 'sql' as const,
    outcome: found
      ? ({ kind: 'found', shown: 1, cut: false } as const)
      : ({ kind: 'empty' } as const),
    ms: 1,
  },
});
const sql: Action = { kind: 'RetrieveFromDatabase', sql: 'SELECT 1' };
const missing = (answer: Json, ...seen: readonly string[]): readonly string[] | null =>
  ungroundedValues([
    ...seen.map((text) => turnOf(sql, text)),
    turnOf({ kind: 'GenerateAnswer', answer: anyValueOfJson(answer) }, ''),
  ]);

describe('the values of an answer that no observation shows', () => {
  it.each<[string, Json, string, readonly string[]]>([
    ['a number as it is', 42, 'the score was 42.', []],
    ['a number with separators', 12000, 'of 12,000 words', []],
    ['a number that is rounded', 0.87, 'accuracy 0.8713', []],
    ['a share in per cent', 87.1, 'accuracy 0.871', []],
    ['a minus sign of print', -3.5, 'a change of −3.5 points', []],
    ['another number', 43, 'the score was 42.', ['43']],
    ['a number inside of another', 42, 'scores of 142 and 42.5', ['42']],
    ['a digit of an id', 4, '{"id":"0d0c9a52-5a5e-5d3c-4c1e-3f2b1a0c9d8e"}', ['4']],
    [
      'the count below rows',
      7,
      '{"a":"x"}\n\nIn total, 7 rows are displayed in JSON format.',
      ['7'],
    ],
    [
      'the count of rows of which some are shown',
      1432,
      '{"a":"x"}\n\n... # 10 of 1,432 rows are displayed in JSON format, the rest is cut based on max_rows (10)',
      [],
    ],
    [
      'a count that nobody has made to its end',
      10000,
      '{"a":"x"}\n\n... # 10 of more than 10,000 rows are displayed in JSON format, the rest is cut based on max_rows (10)',
      ['10000'],
    ],
    ['a name in another case', 'deep network', 'A Deep\\nNetwork is used', []],
    ['a name in marks', '“BLEU”', 'by BLEU and chrF', []],
    ['another name', 'METEOR', 'by BLEU and chrF', ['METEOR']],
    ['the items of a list', ['BLEU', 'TER'], 'by BLEU', ['TER']],
    ['the values of an object', { a: 1, b: [2, 9] }, '1 and 2', ['9']],
    ['a verdict', 'Yes', 'nothing of the kind', []],
    ['a truth value', true, 'nothing of the kind', []],
    [
      'a sentence, by its numbers and names',
      'The authors train the model on WikiText with a batch of 64 texts and 3 seeds',
      'on WikiText, batch 64',
      ['3'],
    ],
    ['escaped characters', 'café', 'the caf\\u00e9', []],
  ])('takes %s', (_, answer, seen, expected) => {
    expect(missing(answer, seen)).toEqual(expected);
  });

  it('does not take the words of the model for an observation', () => {
    const asked = turnOf(sql, 'No records found for the query: 42', false);
    const answer = turnOf({ kind: 'GenerateAnswer', answer: anyValueOfJson(42) }, '42');
    expect(ungroundedValues([asked, answer])).toEqual(['42']);
  });

  it('says nothing where a picture was seen, or no action ended the question', () => {
    const picture = {
      ...turnOf(sql, 'x'),
      facts: { ...turnOf(sql, '').facts, tool: 'image' as const },
    };
    const answer = turnOf({ kind: 'GenerateAnswer', answer: anyValueOfJson(42) }, '42');
    expect(ungroundedValues([picture, answer])).toBeNull();
    expect(ungroundedValues([turnOf(sql, 'x')])).toBeNull();
    expect(ungroundedValues([])).toBeNull();
  });
});

describe('over 200 seeded answers of each kind', () => {
  let drawn = 0;
  const draw = (): number => seededDraw('grounding', (drawn += 1));
  const pick = <T>(list: readonly T[]): T => list[Math.floor(draw() * list.length)] as T;
  const names =
    'Alder Brinkley Castellan Dunwich Everard Fenwick Gordon Harcourt Islay Jessop'.split(' ');
  const things = 'oven lantern harbour ledger ferry orchard mill quarry beacon canal'.split(' ');
  const name = (): string => `${pick(names)} ${pick(things)}`;
  const number = (): number =>
    pick([() => Math.floor(draw() * 9000) + 20, () => Number((draw() * 100).toFixed(2))])();
  /** Rows as an agent sees them. */
  const rowsWith = (values: readonly (string | number)[]): string => {
    const rows = values.map((value, index) => [
      `row ${'x'.repeat(index)}`,
      typeof value === 'string' ? `It was ${value}, as was written.` : `It was ${value} then.`,
    ]);
    const columns = ['title', 'text'].map((each) => ({ name: each, type: 'VARCHAR' }));
    return renderRows({ columns, rows, more: false }, defaultObservationStyle).content;
  };
  const cases = Array.from({ length: 200 }, () => {
    const values = Array.from({ length: 6 }, (_, index) => (index % 2 === 0 ? name() : number()));
    const shown = pick(values);
    const other =
      typeof shown === 'string'
        ? `${pick(names)}son ${pick(things)}`
        : shown + 1 + Math.floor(draw() * 50);
    const asGiven = (value: string | number): Json =>
      pick<(v: string | number) => Json>([(v) => v, (v) => [v], (v) => ({ value: v })])(value);
    return { seen: rowsWith(values), grounded: asGiven(shown), ungrounded: asGiven(other) };
  });

  it('finds at least 95 % of those that were not seen', () => {
    const found = cases.filter(({ seen, ungrounded }) => missing(ungrounded, seen)?.length === 1);
    expect(found.length).toBeGreaterThanOrEqual(190);
  });

  it('takes at most 2 % of those that were seen for the others', () => {
    const alarms = cases.filter(({ seen, grounded }) => missing(grounded, seen)?.length !== 0);
    expect(alarms.length).toBeLessThanOrEqual(4);
  });
});
