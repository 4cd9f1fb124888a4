import { PythonSyntaxError } from './syntax.js';
import type { PythonValue } from './value.js';

/** Python's own limit on the digits of an int; also bounds the work of converting one. */
export const maxDigits = 4300;
export const tooManyDigits = `a number has more than ${maxDigits} digits`;

const integer = /0[xX](?:_?[\da-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+/y;
const decimal =
  /(?<whole>\d(?:_?\d)*)?(?<fraction>\.(?:\d(?:_?\d)*)?)?(?<exponent>[eE][+-]?\d(?:_?\d)*)?(?<imaginary>[jJ])?/y;

/** Reads the unsigned number that begins at `start`, where a digit or `.` and a digit must be. */
export function readNumber(
  text: string,
  start: number,
): { readonly value: PythonValue; readonly end: number } {
  integer.lastIndex = start;
  const token = integer.exec(text)?.[0];
  if (token !== undefined) return finish(text, start, token, toInt(token, start));

  decimal.lastIndex = start;
  const match = decimal.exec(text);
  const digits = match?.[0] ?? '';
  const { fraction, exponent, imaginary } = match?.groups ?? {};
  if (imaginary !== undefined) {
    const size = Number(digits.slice(0, -1).replaceAll('_', ''));
    return finish(text, start, digits, { kind: 'complex', real: 0, imaginary: size });
  }
  if (fraction !== undefined || exponent !== undefined) {
    const value = Number(digits.replaceAll('_', ''));
    return finish(text, start, digits, { kind: 'float', value });
  }
  if (/^0[\d_]*[1-9]/.test(digits)) {
    throw new PythonSyntaxError('a decimal number cannot begin with 0', start);
  }
  return finish(text, start, digits, toInt(digits, start));
}

function toInt(token: string, start: number): PythonValue {
  if (token.length > maxDigits) {
    throw new PythonSyntaxError(tooManyDigits, start);
  }
  return { kind: 'int', value: BigInt(token.replaceAll('_', '')) };
}

function finish(
  text: string,
  start: number,
  token: string,
  value: PythonValue,
): { readonly value: PythonValue; readonly end: number } {
  const end = start + token.length;
  if (/[\p{L}\p{N}_]/u.test(text.charAt(end))) {
    throw new PythonSyntaxError('a number is followed by a letter or digit', end);
  }
  return { value, end };
}
