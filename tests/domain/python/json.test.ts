import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonFromPython } from '../../../domain/python/json.js';
import { parsePythonLiteral } from '../../../domain/python/literal.js';
import { repr } from '../../../domain/python/text.js';
import { pythonFromJson, type Json } from '../../../domain/python/value.js';

function jsonOf(literal: string): Json {
  const parsed = parsePythonLiteral(literal, 'lenient');
  if (parsed.kind === 'invalid') throw new Error(parsed.reason);
  return jsonFromPython(parsed.value);
}

describe('jsonFromPython', () => {
  it.each<[string, Json]>([
    ['(1, 2.5, None, True)', [1, 2.5, null, true]],
    ["{'a': {1, 2}}", { a: [1, 2] }],
    [
      "{1: 'x', (2,): 'y', '__proto__': 3}",
      JSON.parse('{"1":"x","(2,)":"y","__proto__":3}') as Json,
    ],
    ['nan', 'nan'],
    ['1e999', 'inf'],
    ['12345678901234567891', '12345678901234567891'],
    ['9007199254740992', 9007199254740992],
    ["b'x'", "b'x'"],
    ['2j', '2j'],
    ['...', 'Ellipsis'],
  ])('turns %s into JSON, or into text where JSON has no word for it', (literal, expected) => {
    expect(jsonOf(literal)).toStrictEqual(expected);
  });

  it('undoes pythonFromJson', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        // fast-check's JsonValue is mutable, which Json allows.
        const json = JSON.parse(JSON.stringify(value)) as Json;
        expect(jsonFromPython(pythonFromJson(json))).toEqual(json);
      }),
    );
  });
});

describe('pythonFromJson', () => {
  it('keeps the order of keys and tells integers from other numbers', () => {
    expect(repr(pythonFromJson({ b: [1, 2.5, 1e300], a: null }))).toMatch(
      /^\{'b': \[1, 2\.5, 1000000\d+\], 'a': None\}$/,
    );
  });
});
