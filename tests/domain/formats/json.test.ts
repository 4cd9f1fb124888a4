import { expect, it } from 'vitest';
import { wellFormedJson } from '../../../domain/formats/json.js';

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
