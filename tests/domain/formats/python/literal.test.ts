import fc from '../../../support/arbitrary/fast-check.js';
import { describe, expect, it } from 'vitest';
import { parsePythonCall, parsePythonLiteral } from '../../../../domain/formats/python/literal.js';
import {
  repr,
  pythonDict,
  pythonSet,
  type PythonValue,
} from '../../../../domain/formats/python/value.js';

/** The `repr` of what was read, or the reason why nothing was. */
function reading(text: string, dialect?: 'lenient'): string {
  const parsed = parsePythonLiteral(text, dialect);
  return parsed.kind === 'parsed' ? repr(parsed.value) : `! ${parsed.reason}`;
}

describe('parsePythonLiteral', () => {
  it.each([
    ['1_000', '1000'],
    ['0x1F', '31'],
    ['0b11', '3'],
    ['0o17', '15'],
    ['000', '0'],
    ['- 5', '-5'],
    ['1.', '1.0'],
    ['.5', '0.5'],
    ['007.5', '7.5'],
    ['1e5', '100000.0'],
    ['1e999', 'inf'],
    ['1+2j', '(1+2j)'],
    ['-(1)', '-1'],
    ['...', 'Ellipsis'],
    ["'a' 'b'", "'ab'"],
    ["('a'\n 'b')", "'ab'"],
    ['"""a\nb"""', String.raw`'a\nb'`],
    ["'''a\r\nb'''", String.raw`'a\nb'`],
    [String.raw`r'\alpha'`, String.raw`'\\alpha'`],
    [String.raw`'\lambda'`, String.raw`'\\lambda'`],
    [String.raw`'\alpha'`, String.raw`'\x07lpha'`],
    [String.raw`'\x41\u00e9\101'`, "'AéA'"],
    ["'a\\\nb'", "'ab'"],
    [String.raw`b'\xff' b"q"`, String.raw`b'\xffq'`],
    [String.raw`b'\u0041'`, String.raw`b'\\u0041'`],
    ['1, 2', '(1, 2)'],
    ["'a',", "('a',)"],
    ['(1)', '1'],
    ['(1,)', '(1,)'],
    ['set()', 'set()'],
    ['{1, 2, 1.0}', '{1, 2}'],
    ["{'a': 1, 'a': 2}", "{'a': 2}"],
    ['{1: "x", True: "y"}', "{1: 'y'}"],
    ['{(1, 2): 3}', '{(1, 2): 3}'],
    ['[\n1, # one\n2,\n]', '[1, 2]'],
    ['  [1]\n\n# done', '[1]'],
  ])('reads %j', (text, expected) => expect(reading(text)).toBe(expected));

  it.each([
    ['', 'the text ends too early'],
    ['[1', 'the text ends too early'],
    ['007', 'a decimal number cannot begin with 0'],
    ['1__0', 'a number is followed by a letter or digit'],
    ['2x', 'a number is followed by a letter or digit'],
    ['1 2', 'unexpected "2"'],
    ['true', 'the name true is not a literal'],
    ['nan', 'the name nan is not a literal'],
    ['dict(a=1)', 'the name dict is not a literal'],
    ['0.1+0.2', 'a literal is not calculated'],
    ["'a'+'b'", 'a literal is not calculated'],
    ['1j+1', 'a literal is not calculated'],
    ['--1', 'unexpected "-"'],
    ['-True', 'a sign must stand before a number'],
    ["f'{a}'", 'the name f is not a literal'],
    ['[x for x in []]', 'the name x is not a literal'],
    ['[*[1]]', 'unexpected "*"'],
    ["'it's'", 'unexpected "s"'],
    ["'a\nb'", 'a string is not closed'],
    ["'a", 'a string is not closed'],
    ["'a' b'b'", 'text and bytes cannot be joined'],
    ["b'é'", 'bytes hold ASCII characters only'],
    [String.raw`'\x4'`, 'an escape is malformed'],
    [String.raw`'\N{BULLET}'`, 'characters cannot be given by name'],
    ['{[1]: 2}', 'a list, set or dict cannot be a key or in a set'],
    ['{1: 2, 3}', 'unexpected "}"'],
    ['\u00a0[1]', 'unexpected "\u00a0"'],
    ['“a”', 'unexpected "“"'],
    [`${'['.repeat(201)}${']'.repeat(201)}`, 'brackets are nested too deeply'],
    ['9'.repeat(4301), 'a number has more than 4300 digits'],
  ])('refuses %j', (text, reason) => expect(reading(text)).toBe(`! ${reason}`));

  it('says where a text went wrong', () => {
    expect(parsePythonLiteral('[1, oops]')).toEqual({
      kind: 'invalid',
      reason: 'the name oops is not a literal',
      offset: 4,
    });
  });

  it('goes as deep as Python does', () => {
    expect(reading(`${'['.repeat(200)}${']'.repeat(200)}`)).toHaveLength(400);
  });
});

describe('the lenient dialect', () => {
  it.each([
    ["'a\nb'", String.raw`'a\nb'`],
    ['[true, false, null, nan, -Infinity]', '[True, False, None, nan, -inf]'],
    ['“it’s”', "'it’s'"],
    ['{‘a’: ‘it’s’}', "{'a': 'it’s'}"],
    [String.raw`'\alpha \beta \frac{1}{2}'`, String.raw`'\\alpha \\beta \\frac{1}{2}'`],
    [String.raw`'\nabla \theta \rho, \n\tnext'`, String.raw`'\\nabla \\theta \\rho, \n\tnext'`],
    [String.raw`'\xi \upsilon \N{X}'`, String.raw`'\\xi \\upsilon \\N{X}'`],
    [String.raw`'\u00e9\\n\''`, String.raw`"é\\n'"`],
    [String.raw`'(a)\1'`, String.raw`'(a)\\1'`],
    ['\u00a0[1]', '[1]'],
  ])('reads %s', (text, expected) => expect(reading(text, 'lenient')).toBe(expected));
});

describe('parsePythonCall', () => {
  it('keeps the last of two arguments with one name', () => {
    const parsed = parsePythonCall('f (1, "a", b=2, b=3,)  # done');
    expect(parsed).toMatchObject({ kind: 'parsed', call: { name: 'f' } });
    if (parsed.kind === 'invalid') throw new Error(parsed.reason);
    expect(parsed.call.positional.map(repr)).toEqual(['1', "'a'"]);
    expect([...parsed.call.named].map(([name, value]) => [name, repr(value)])).toEqual([
      ['b', '3'],
    ]);
  });

  it.each([
    ['f(a=1, 2)', 'an unnamed argument follows a named one'],
    ['f(a==1)', 'the name a is not a literal'],
    ['f()()', 'unexpected "("'],
    ['f();', 'unexpected ";"'],
    ['f', 'the text ends too early'],
    ['f(1', 'the text ends too early'],
    ['f(**{})', 'unexpected "*"'],
  ])('refuses %s', (text, reason) => {
    expect(parsePythonCall(text)).toMatchObject({ kind: 'invalid', reason });
  });
});

const none: PythonValue = { kind: 'none' };

const scalar = fc.oneof(
  fc.constant(none),
  fc.boolean().map((value): PythonValue => ({ kind: 'bool', value })),
  fc.bigInt().map((value): PythonValue => ({ kind: 'int', value })),
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .map((value): PythonValue => ({ kind: 'float', value })),
  fc.string({ unit: 'binary' }).map((value): PythonValue => ({ kind: 'str', value })),
  fc.string({ unit: 'grapheme' }).map((value): PythonValue => ({ kind: 'str', value })),
  fc
    .uint8Array()
    .map((bytes): PythonValue => ({ kind: 'bytes', value: String.fromCharCode(...bytes) })),
);

const { value: anyValue } = fc.letrec<{ value: PythonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc
      .tuple(fc.constantFrom('list', 'tuple'), fc.array(tie('value'), { maxLength: 4 }))
      .map(([kind, items]): PythonValue => ({ kind, items })),
    fc.array(scalar, { maxLength: 4 }).map((items) => pythonSet(items) ?? none),
    fc
      .array(fc.tuple(scalar, tie('value')), { maxLength: 4 })
      .map((entries) => pythonDict(entries) ?? none),
  ),
}));

describe('repr and parsePythonLiteral', () => {
  it('are each other’s inverse', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        expect(parsePythonLiteral(repr(value))).toEqual({ kind: 'parsed', value });
      }),
      { numRuns: 5000 },
    );
  });

  it('never throw on text that was tampered with', () => {
    const noise = fc.string({
      unit: fc.constantFrom(...Array.from(`'"\\nxuNrb{[()]},:=#+-.0j1e_ \n“’é`)),
    });
    fc.assert(
      fc.property(
        anyValue,
        noise,
        fc.nat(),
        fc.constantFrom('python', 'lenient'),
        (value, extra, at, dialect) => {
          const text = repr(value);
          const place = at % (text.length + 1);
          const parsed = parsePythonLiteral(
            text.slice(0, place) + extra + text.slice(place),
            dialect,
          );
          expect(['parsed', 'invalid']).toContain(parsed.kind);
        },
      ),
      { numRuns: 5000 },
    );
  });
});
