import { expect, it } from 'vitest';
import { repr } from '../../../domain/python/text.js';
import { pythonFromJsonText } from '../../../domain/scoring/json-text.js';

it.each([
  [
    '{"a": 1.0, "b": [1, -2.5e3, 12345678901234567890]}',
    "{'a': 1.0, 'b': [1, -2500.0, 12345678901234567890]}",
  ],
  ['[NaN, Infinity, -Infinity, 1e400]', '[nan, inf, -inf, inf]'],
  ['{"a": 1, "a": 2}', "{'a': 2}"],
  ['{"__proto__": 1}', "{'__proto__': 1}"],
  ['"1 and \\"NaN\\" \\u0041"', `'1 and "NaN" A'`],
  [' [true, false, null] ', '[True, False, None]'],
  ['-0.0', '-0.0'],
])('reads %s as %s', (text, python) => {
  const value = pythonFromJsonText(text);
  expect(value && repr(value)).toBe(python);
});

it.each([
  '',
  '{1: 2}',
  '{NaN: 2}',
  '[01]',
  '[1.]',
  '[.5]',
  '[+1]',
  "['a']",
  '[1,]',
  '\ufeff[1]',
  '"a',
  '[1 2]',
])('refuses %s', (text) => {
  expect(pythonFromJsonText(text)).toBeNull();
});
