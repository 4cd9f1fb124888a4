import fc from '../../../support/arbitrary/fast-check.js';
import { describe, expect, it } from 'vitest';
import { evaluateExpression } from '../../../../domain/formats/python/expression.js';
import { str } from '../../../../domain/formats/python/value.js';

function result(text: string): string {
  const evaluation = evaluateExpression(text);
  return evaluation.kind === 'value' ? str(evaluation.value) : `! ${evaluation.message}`;
}

/** Every value here is what CPython 3.11 prints. */
describe('evaluateExpression', () => {
  it.each([
    ['1 + 2 * 3', '7'],
    ['(1 + 2) * 3', '9'],
    ['10 / 2', '5.0'],
    ['1 / 3', '0.3333333333333333'],
    ['7 // 2', '3'],
    ['-7 // 2', '-4'],
    ['7.5 // -2', '-4.0'],
    ['-7 % 3', '2'],
    ['7 % -3', '-2'],
    ['-7.5 % 2', '0.5'],
    ['-2 ** 2', '-4'],
    ['(-2) ** 2', '4'],
    ['2 ** -1', '0.5'],
    ['2 ** 3 ** 2', '512'],
    ['2 ** 100', '1267650600228229401496703205376'],
    ['123456789012345678901234567890 / 7', '1.763668414462081e+28'],
    ['0.1 + 0.2', '0.30000000000000004'],
    ['1e16 + 1', '1e+16'],
    ['1_000 * 2', '2000'],
    ['5. * 2', '10.0'],
    ['.5 + 1.e1', '10.5'],
    ['-0.0', '-0.0'],
    ['1 < 2', 'True'],
    ['1 < 2 < 2', 'False'],
    ['(1 < 2) < 2', 'True'],
    ['2 == 2.0 != 3', 'True'],
    ['2 ** 53 + 1 == 2.0 ** 53', 'False'],
    ['True + True', '2'],
    ['1 if 2 > 3 else 0', '0'],
    ['round(2.5)', '2'],
    ['round(0.125, 2)', '0.12'],
    ['round(1234, -2)', '1200'],
    ['round(1250, -2)', '1200'],
    ['abs(-3.5)', '3.5'],
    ['min(3, 1.0, 2)', '1.0'],
    ['max([1, 1.0])', '1'],
    ['sum([1, 2.5])', '3.5'],
    ['sum([0.1] + [])', "! unsupported operand type(s) for +: 'list' and 'list'"],
    ['len([1, 2, 3])', '3'],
    ['sqrt(16)', '4.0'],
    ['math.sqrt(2)', '1.4142135623730951'],
    ['math.floor(-1.5)', '-2'],
    ['int(-1.5)', '-1'],
    ['[1, 2 / 4]', '[1, 0.5]'],
    ['1, 2', '(1, 2)'],
    ['(1,)', '(1,)'],
    ['3 # three', '3'],
    ['(1 +\n 2)', '3'],
  ])('calculates %s', (text, expected) => expect(result(text)).toBe(expected));

  it.each([
    ['1 / 0', 'division by zero'],
    ['1 // 0', 'integer division or modulo by zero'],
    ['1 % 0', 'integer modulo by zero'],
    ['1.0 / 0', 'float division by zero'],
    ['0 ** -1', '0.0 cannot be raised to a negative power'],
    ['10.0 ** 400', "(34, 'Numerical result out of range')"],
    ['10 ** 400 / 3', 'integer division result too large for a float'],
    ['10 ** 400 * 1.0', 'int too large to convert to float'],
    ['sqrt(-1)', 'math domain error'],
    ['accuracy + 1', "name 'accuracy' is not defined"],
    ['max([])', 'max() arg is an empty sequence'],
    ['1 +', 'invalid syntax (<string>, line 1)'],
    ['', 'invalid syntax (<string>, line 1)'],
    ['1 2', 'invalid syntax (<string>, line 1)'],
    ['1; 2', 'invalid syntax (<string>, line 1)'],
  ])('says what Python says of %s', (text, message) => expect(result(text)).toBe(`! ${message}`));

  it.each([
    "__import__('os').system('true')",
    '().__class__.__bases__',
    'open(1)',
    'print(1)',
    'lambda: 1',
    '[x for x in [1]]',
    'x := 1',
    'f"{1}"',
    "'a' * 3",
    '{1: 2}',
    'not 1',
    '1 and 2',
    '2 ^ 3',
    'constructor',
    'sqrt.constructor(1)',
    'toString()',
  ])('calculates no more than arithmetic: %s', (text) => expect(result(text)).toMatch(/^! /));

  it.each([
    '9 ** 9 ** 9',
    '2 ** 10 ** 9 % 7',
    '(9 ** 9999) ** 1000',
    `${'9 ** 9999 * '.repeat(100)}1`,
    '[1] * 10 ** 9',
  ])('refuses what would not end: %s', (text) => expect(result(text)).toMatch(/^! /));

  it.each([
    ['nested', `${'('.repeat(990)}1${')'.repeat(990)}`, '1'],
    ['signed', `${'-'.repeat(1999)}1`, '-1'],
    ['compared', `${'1<('.repeat(300)}2${')<3'.repeat(300)}`, 'False'],
    ['added', `${'1+'.repeat(999)}1`, '1000'],
    ['too long', '1'.repeat(2001), '! the expression is longer than 2000 characters'],
  ])('comes to an end on what is deeply %s', (_, text, expected) =>
    expect(result(text)).toBe(expected),
  );

  it('neither throws nor hangs on anything', () => {
    const pieces = ['1', '2.5', '0', '9', ' ', '**', '//', '%', '(', ')', '[', ']', ',', '<', '=='];
    const more = [
      'sum',
      'max(',
      'round(',
      'if',
      'else',
      '-',
      '.',
      'e',
      '\n',
      "'",
      '#',
      'x',
      '\u{1f600}',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces, ...more), { maxLength: 40 }), (parts) => {
        expect(evaluateExpression(parts.join(''))).toHaveProperty('kind');
      }),
      { numRuns: 2_000, seed: 5 },
    );
  });
});
