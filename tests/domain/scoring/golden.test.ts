import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { pythonFromJsonText } from '../../../domain/formats/python/json.js';
import { str, type PythonValue } from '../../../domain/formats/python/value.js';
import { scoreValue } from '../../../domain/scoring/score-answer.js';

// Facts about the reference, one observed score a line.
const lines = readFileSync('tests/fixtures/scoring/golden.jsonl', 'utf8').trim().split('\n');

/** A Python text can hold the two halves of one character side by side; in JavaScript they are that character. */
const halves = String.raw`['\\ud83d\\ude00']`;

/** Read as Python would, since `1.0` and `1` are different golds. */
function golden(line: string): ReadonlyMap<string, PythonValue> {
  const value = pythonFromJsonText(line);
  if (value?.kind !== 'dict') throw new Error(`not an object: ${line}`);
  return new Map(value.entries.map(([key, item]) => [str(key), item]));
}

it.each(lines.filter((line) => !line.includes(halves)))('scores as the reference: %s', (line) => {
  const { function: name, pred, kwargs, expected } = Object.fromEntries(golden(line));
  if (name?.kind !== 'str' || !pred || kwargs?.kind !== 'dict' || expected?.kind !== 'float') {
    throw new Error(`not a golden case: ${line}`);
  }
  const options = new Map(kwargs.entries.map(([key, value]) => [str(key), value]));
  expect(scoreValue(pred, name.value, { options, mode: 'strict', part: '0', judge: null })).toEqual(
    {
      kind: 'scored',
      score: expected.value,
    },
  );
});

it('has every golden case but the one no JavaScript text can express', () => {
  expect(lines).toHaveLength(311);
  expect(lines.filter((line) => line.includes(halves))).toHaveLength(1);
});
