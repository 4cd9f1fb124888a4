import fc from '../../support/fast-check.js';
import { expect, it } from 'vitest';
import { jsonDumps, parseJson } from '../../../domain/python/json.js';

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
