import { describe, expect, it } from 'vitest';
import { repr, str, type PythonValue } from '../../../../domain/formats/python/value.js';

const text = (value: string): PythonValue => ({ kind: 'str', value });
const float = (value: number): PythonValue => ({ kind: 'float', value });
const int = (value: bigint): PythonValue => ({ kind: 'int', value });

describe('repr', () => {
  it.each<[string, PythonValue]>([
    ['None', { kind: 'none' }],
    ['True', { kind: 'bool', value: true }],
    ['Ellipsis', { kind: 'ellipsis' }],
    ['-12345678901234567890', int(-12345678901234567890n)],
    ['100000.0', float(1e5)],
    ['1e+16', float(1e16)],
    ['9999999999999998.0', float(9999999999999998)],
    ['0.0001', float(1e-4)],
    ['1e-05', float(1e-5)],
    ['1.5e-07', float(1.5e-7)],
    ['1e+100', float(1e100)],
    ['5e-324', float(5e-324)],
    ['0.1', float(0.1)],
    ['-0.0', float(-0)],
    ['nan', float(NaN)],
    ['-inf', float(-Infinity)],
    ['(1+2j)', { kind: 'complex', real: 1, imaginary: 2 }],
    ['2.5j', { kind: 'complex', real: 0, imaginary: 2.5 }],
    ['(-0-2j)', { kind: 'complex', real: -0, imaginary: -2 }],
    ["'it'", text('it')],
    [`"it's"`, text("it's")],
    [String.raw`'it\'s a "T"'`, text(`it's a "T"`)],
    [String.raw`'\\alpha\n\r\t'`, text('\\alpha\n\r\t')],
    [String.raw`'\x07\x7f\xa0\xad'`, text('\x07\x7f\xa0\xad')],
    [String.raw`'\u200b\u2028\u3000\ud800'`, text('\u200b\u2028\u3000\ud800')],
    [String.raw`'\U0010ffff'`, text('\u{10ffff}')],
    ["'é 漢 😀 α'", text('é 漢 😀 α')],
    [String.raw`b"a\xff'"`, { kind: 'bytes', value: "a\xff'" }],
    ['[1, 2.0]', { kind: 'list', items: [int(1n), float(2)] }],
    ['(1,)', { kind: 'tuple', items: [int(1n)] }],
    ['()', { kind: 'tuple', items: [] }],
    ['set()', { kind: 'set', items: [] }],
    ["{'a', 1}", { kind: 'set', items: [text('a'), int(1n)] }],
    [
      "{'b': None, 'a': []}",
      {
        kind: 'dict',
        entries: [
          [text('b'), { kind: 'none' }],
          [text('a'), { kind: 'list', items: [] }],
        ],
      },
    ],
  ])('writes %s', (expected, value) => {
    expect(repr(value)).toBe(expected);
  });
});

describe('str', () => {
  it('leaves a text as it is', () => expect(str(text(`a\n'b'`))).toBe(`a\n'b'`));
  it('is repr for anything else', () =>
    expect(str({ kind: 'list', items: [text('a')] })).toBe("['a']"));
});
