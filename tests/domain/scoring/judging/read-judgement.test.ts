import { describe, expect, it } from 'vitest';
import type { ReplyForm } from '../../../../domain/scoring/judging/judge-request.js';
import {
  gradeStrictly,
  readJudgement,
  selectionStrictly,
  verdictStrictly,
} from '../../../../domain/scoring/judging/read-judgement.js';

const fence = '```';
const block = (word: string, tag = 'txt'): string => `${fence}${tag}\n${word}\n${fence}`;

/** A number, `off` for one off the scale, null for what cannot be read. */
const value = (text: string, form: ReplyForm, structured = false): number | 'off' | null => {
  const judgement = readJudgement({ text, cutOff: false }, form, structured);
  if (judgement.kind === 'read') return judgement.value;
  return judgement.kind === 'off-scale' ? 'off' : null;
};
const strictValue = (read: typeof verdictStrictly, text: string): number | 'off' | null => {
  const judgement = read(text);
  if (judgement.kind === 'read') return judgement.value;
  return judgement.kind === 'off-scale' ? 'off' : null;
};

/** A reply, what it is to us, and to the reference. */
const verdicts: readonly (readonly [string, 0 | 1 | null, 0 | 1])[] = [
  [block('True'), 1, 1],
  [block('true', ''), 1, 1],
  [block('FALSE'), 0, 0],
  [`Because.\n\n${block('  True  ')}`, 1, 1],
  [block('\n\nTrue\n'), 1, 1],
  [`${fence} True ${fence}`, 1, 1],
  [`${fence}txt True ${fence}`, 1, 1],
  [`${block('False')}\nNo:\n${block('True')}`, 1, 1],
  [`${block('True')}\nNo:\n${block('False')}\n`, 0, 0],
  ['True', null, 0],
  [`${fence}True${fence}`, null, 0],
  [block('True', 'text'), 1, 0],
  [block('True', 'python'), 1, 0],
  [block('True', 'TXT'), 1, 0],
  [block('True.'), null, 0],
  [block('"True"'), null, 0],
  [block('**True**'), null, 0],
  [block('True/False'), null, 0],
  // The reference pairs the fences wrongly.
  [`It uses ${fence}x = 1${fence} as asked.\n${block('True')}`, 1, 0],
  // A verdict that something follows may be one that the judge quotes.
  [`The answer says\n${block('True')}\nwhich proves nothing.`, null, 1],
  ['', null, 0],
];

describe('a verdict', () => {
  it.each(verdicts)('of %j', (text, sound, strict) => {
    expect(value(text, 'verdict')).toBe(sound);
    expect(strictValue(verdictStrictly, text)).toBe(strict);
  });

  it('is none where the token limit cut it off, except to the reference', () => {
    expect(readJudgement({ text: block('True'), cutOff: true }, 'verdict', false)).toEqual({
      kind: 'unreadable',
    });
  });

  it('comes with its reasons, shortened where they are long', () => {
    expect(
      readJudgement({ text: `Same.\n${block('True')}`, cutOff: false }, 'verdict', false),
    ).toEqual({ kind: 'read', value: 1, rationale: 'Same.' });
    const long = readJudgement(
      { text: `${'x'.repeat(9_000)}\n${block('True')}`, cutOff: false },
      'verdict',
      false,
    );
    expect(long.kind === 'read' && long.rationale).toHaveLength(2_000);
  });
});

const selections: readonly (readonly [string, number | 'off' | null, number | 'off' | null])[] = [
  ['{"selection": "1"}', 1, 1],
  ['{"selection": "0.5"}', 0.5, 0.5],
  ['{"selection": 0}', 0, 0],
  ['{"selection": true}', 1, 1],
  [`Well.\n${fence}json\n{"selection": "1"}\n${fence}`, 1, 1],
  ['{"selection": "1"} is what I select.', null, 1],
  ['{"selection": "0"} and then {"selection": "1"}', 1, 0],
  ["{'selection': '1'}", null, null],
  ['{"selection": {"value": "1"}}', null, null],
  ['{"choice": "1"}', null, null],
  ['1', null, null],
  ['{"selection": "2"}', 'off', 'off'],
  ['{"selection": "0.7"}', 'off', 0.7],
  ['{"selection": "nan"}', 'off', 'off'],
];

it.each(selections)('reads a selection of %j', (text, sound, strict) => {
  expect(value(text, 'selection')).toBe(sound);
  expect(strictValue(selectionStrictly, text)).toBe(strict);
});

describe('grades', () => {
  const report = (overall: string): string =>
    `Evaluation:\n1. Relevance: 9 - on topic\n2. Accuracy: 8 - right\n3. Completeness: 7 - most\n4. Conciseness: 6 - long\nOverall Quality Score: ${overall}`;

  it.each<readonly [string, number | 'off' | null]>([
    [report('7.5'), 7.5],
    [report('7.666'), 7.67],
    [report('**8**'), 8],
    [report('11'), 'off'],
    [report('0'), 'off'],
    [report('good'), null],
    [`${report('8')}\nI hope this helps.`, null],
    [`The answer claims:\n${report('10')}\nMine:\n${report('2')}`, 2],
  ])('of %j', (text, expected) => expect(value(text, 'grades')).toBe(expected));

  it.each<readonly [string, number | 'off' | null]>([
    ['7.5', 7.5],
    [' 8\n', 8],
    ['2.675', 2.67],
    ['11', 'off'],
    ['nan', 'off'],
    ['8/10', null],
    ['**8**', null],
    ['The score is 8', null],
  ])('are taken strictly from a second reply: %j', (text, expected) => {
    expect(strictValue(gradeStrictly, text)).toBe(expected);
  });
});

describe('a structured reply', () => {
  const grades = Object.fromEntries(
    ['relevance', 'accuracy', 'completeness', 'conciseness'].map((name) => [
      name,
      { explanation: 'fair', score: 7 },
    ]),
  );

  it.each<readonly [ReplyForm, unknown, number | 'off' | null]>([
    ['verdict', { reasoning: 'same', verdict: true }, 1],
    ['verdict', { reasoning: 'other', verdict: false }, 0],
    ['verdict', { reasoning: 'same', verdict: 'True' }, null],
    ['verdict', { verdict: true }, null],
    ['verdict', { reasoning: 'same', verdict: true, and: 'more' }, null],
    ['selection', { reasoning: 'half', selection: '0.5' }, 0.5],
    ['selection', { reasoning: 'half', selection: '0.7' }, null],
    ['grades', { ...grades, overall: 7 }, 7],
    ['grades', { ...grades, overall: 70 }, 'off'],
    ['grades', { overall: 7 }, null],
  ])('%s of %j', (form, reply, expected) => {
    expect(value(JSON.stringify(reply), form, true)).toBe(expected);
    expect(value(`${fence}json\n${JSON.stringify(reply, null, 1)}\n${fence}`, form, true)).toBe(
      expected,
    );
  });

  it('is nothing but the object', () => {
    const reply = JSON.stringify({ reasoning: 'same', verdict: true });
    expect(value(`The answer says ${reply}`, 'verdict', true)).toBeNull();
    expect(value(block('True'), 'verdict', true)).toBeNull();
  });
});
