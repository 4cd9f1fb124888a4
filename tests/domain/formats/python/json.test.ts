import fc from '../../../support/arbitrary/fast-check.js';
import { describe, expect, it } from 'vitest';
import {
  jsonDumps,
  parseJson,
  pythonFromJsonText,
} from '../../../../domain/formats/python/json.js';
import { repr } from '../../../../domain/formats/python/value.js';

const scrap = fc.constantFrom(
  ...['{', '}', '[', ']', ',', ':', '"', '\\', '\n', ' ', '0', '-', '.', 'e', '+', 'x', 'true'],
);

it('takes for JSON what is JSON, and nothing else', () => {
  const tampered = fc
    .tuple(fc.json({ maxDepth: 3 }), fc.nat(), fc.nat(3), scrap)
    .map(([text, place, cut, extra]) => {
      const at = place % (text.length + 1);
      return text.slice(0, at) + extra + text.slice(at + cut);
    });
  fc.assert(
    fc.property(fc.oneof(tampered, fc.json()), (text) => {
      const parsed = parseJson(text);
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch {
        expect(parsed.kind).toBe('invalid');
        return;
      }
      if (parsed.kind === 'invalid') throw new Error(`${parsed.reason} in ${text}`);
      const written = jsonDumps(parsed.value, { indent: null, ascii: false });
      // Python's JSON knows numbers that are too large for a float.
      if (!written.includes('Infinity')) expect(JSON.parse(written)).toEqual(value);
    }),
    { numRuns: 5000, seed: 3 },
  );
});

it.each([
  ['NaN', 'NaN'],
  ['-Infinity', '-Infinity'],
  ['[1.0, 1]', '[1.0, 1]'],
  ['{"a": 1, "a": 2}', '{"a": 2}'],
])('reads %s as Python does', (text, written) => {
  const parsed = parseJson(text);
  expect(parsed.kind === 'parsed' && jsonDumps(parsed.value, { indent: null, ascii: false })).toBe(
    written,
  );
});

it.each([
  '',
  'x3',
  '[x3]',
  '{"a": nil}',
  '1 2',
  "'a'",
  '[1,]',
  '{"a" 1}',
  '"a\nb"',
  '01',
  '+1',
  '.5',
])('refuses %j as Python does', (text) => expect(parseJson(text).kind).toBe('invalid'));

describe('a JSON text as a Python value', () => {
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
});
