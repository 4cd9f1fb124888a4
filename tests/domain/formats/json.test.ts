import { describe, expect, it } from 'vitest';
import {
  canonicalJson,
  exactJson,
  exactJsonIn,
  wellFormedJson,
} from '../../../domain/formats/json.js';
import { jsonLinesIn, readJsonLines } from '../../../domain/formats/json-lines.js';
import { datasetItemSchema } from '../../../domain/scoring/dataset-item.js';

describe('exact JSON', () => {
  it.each([
    '{"a":1413617112501850121,"b":[-9007199254740993,9007199254740992]}',
    '123456789012345678901234567890',
    '"1413617112501850121"',
    '{"1413617112501850121":"a \\" 1413617112501850121"}',
    '[0.1,1.5e+300,-1,null,true]',
  ])('keeps all digits of %s', (text) => {
    expect(exactJson(exactJsonIn(text))).toBe(text);
  });

  it('writes what is not there as null', () => {
    expect(exactJson(undefined)).toBe('null');
  });

  it('has bigints only where numbers would change', () => {
    expect(exactJsonIn('[9007199254740991, 9007199254740993, 0.1234567890123456789]')).toEqual([
      9007199254740991,
      9007199254740993n,
      Number('0.1234567890123456789'),
    ]);
    expect(exactJsonIn('01413617112501850121')).toBeUndefined();
    expect(exactJson({ a: [1n] }, 1)).toBe('{\n "a": [\n  1\n ]\n}');
  });
});

describe('canonical JSON', () => {
  it('is one text for equal values, by RFC 8785', () => {
    expect(canonicalJson({ b: [1, { d: null, c: 'é\n' }], 10: true, 9: 1e21, a: undefined })).toBe(
      '{"10":true,"9":1e+21,"b":[1,{"c":"é\\n","d":null}]}',
    );
    expect(canonicalJson({ '\u{1f600}': 1, '\uff00': 2 })).toBe('{"\u{1f600}":1,"\uff00":2}');
    expect(canonicalJson([undefined, 12345678901234567890n, -0])).toBe(
      '[null,12345678901234567890,0]',
    );
  });
});

describe('a JSON list of objects', () => {
  it('is JSON lines, each where it begins', () => {
    const text = '[\n {"a": "]",\n  "b": [{}]},\n\n {"c": 1413617112501850121}, {"d": 1}]';
    expect(jsonLinesIn(text)).toBe(
      '\n{"a": "]", "b": [{}]}\n\n\n{"c": 1413617112501850121}\n{"d": 1}\n',
    );
    expect(jsonLinesIn('[{"a": 1}, {"a": 2}]\n')).toBe('{"a": 1}\n{"a": 2}\n');
  });

  it.each(['[1]', '[{"a": 1}', '{"a": [{}]}\n', ''])('is not %s, which stays as it is', (text) => {
    expect(jsonLinesIn(text)).toBe(text);
  });
});

it.each([
  ['{"uuid":"a","question":"?","x":NaN}', 'JSON has no NaN and no Infinity, write them as texts'],
  ['[1, 2]', 'is a list, where one JSON object is wanted'],
  ['{"uuid":"a",', 'one that is written over several lines must stand on one'],
  ['uuid', 'is not a JSON object'],
])('says of the line %s what is wrong', (line, problem) => {
  expect(readJsonLines(line, datasetItemSchema).problems).toEqual([
    expect.stringContaining(problem),
  ]);
});

it.each([
  [String.raw`"a\ud800b"`, '"a\uFFFDb"'],
  [String.raw`"\uDC00"`, '"\uFFFD"'],
  [String.raw`"\ud83d\ude00"`, String.raw`"\ud83d\ude00"`],
  [String.raw`"\ud83d\ud83d\ude00"`, '"\uFFFD' + String.raw`\ud83d\ude00"`],
  [String.raw`"\ude00\ud83d"`, '"\uFFFD\uFFFD"'],
  [String.raw`"\\ud800"`, String.raw`"\\ud800"`],
  [String.raw`"\\\ud800\n"`, '"\\\\\uFFFD\\n"'],
  [String.raw`{"\ud800":"é😀\u00e9"}`, '{"\uFFFD":"é😀' + String.raw`\u00e9"}`],
])('makes of %s what UTF-8 can hold', (json, expected) => {
  expect(wellFormedJson(json)).toBe(expected);
});
