import { describe, expect, it } from 'vitest';
import { parseYaml, yamlDump } from '../../../domain/formats/yaml.js';
import type { PythonValue } from '../../../domain/formats/python/value.js';

const str = (value: string): PythonValue => ({ kind: 'str', value });
const dict = (...entries: [string, PythonValue][]): PythonValue => ({
  kind: 'dict',
  entries: entries.map(([key, value]) => [str(key), value]),
});

describe('a value as yaml', () => {
  it.each([
    ...['\u00a0', '\u2028', '\u3000', '\ufeff', '\u1680', ' ', '\n', '\t', '\u000b'],
    ...['a\u00a0', 'a\n\u2003', 'a \n\n', '\u00a0a', '\u2028a'],
  ])('keeps all white space of %j', (text) => {
    const value = dict(['answer', str(text)]);
    expect(parseYaml(yamlDump(value), 'pyyaml')).toEqual({ kind: 'parsed', value });
  });

  it('writes nothing as null, also where all values are nothing', () => {
    const none: PythonValue = { kind: 'none' };
    expect(yamlDump(dict(['answer', none]))).toBe('answer: null');
    expect(yamlDump(dict(['answer', none], ['why', str('x')]))).toBe('answer: null\nwhy: x');
  });
});

describe('a yaml text', () => {
  it.each([
    ['"a\\"', 'Missing closing "quote'],
    ['"a\\\\\\"', 'Missing closing "quote'],
    ["'a''", "Missing closing 'quote"],
    ["'''", "Missing closing 'quote"],
  ])('is none where a written quote ends it: %s', (quoted, reason) => {
    expect(parseYaml(`a: ${quoted}`, 'pyyaml')).toEqual({ kind: 'invalid', reason });
  });

  it.each([
    ['"a\\\\"', 'a\\'],
    ['"\\""', '"'],
    ["'a'''", "a'"],
    ["''", ''],
    ['""', ''],
    ["''''", "'"],
  ])('may end with a quote that closes it: %s', (quoted, text) => {
    expect(parseYaml(`a: ${quoted}`, 'json')).toEqual({
      kind: 'parsed',
      value: dict(['a', str(text)]),
    });
  });
});
