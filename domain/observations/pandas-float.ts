import { roundTo } from '../scoring/rounding.js';

/** pandas' `display.precision`. */
const precision = 6;

/** A column of floats as pandas' tables write it: six decimals, without the zeros that all of them end in; in exponent form as soon as one needs it. */
export function pandasFloats(values: readonly number[]): readonly string[] {
  const written = (text: (value: number) => string): readonly string[] =>
    values.map((value) => (Number.isFinite(value) ? text(value) : notFinite(value)));
  const fixed = withoutCommonZeros(written(fixedText));
  const sizes = values.map(Math.abs);
  const small = sizes.some((size) => size > 0 && size < 10 ** -precision);
  const long = Math.max(...fixed.map((text) => text.length)) > precision + 6;
  return small || (long && sizes.some((size) => size > 1e6)) ? written(exponentText) : fixed;
}

const notFinite = (value: number): string =>
  Number.isNaN(value) ? 'NaN' : value < 0 ? '-inf' : 'inf';

// Rounded first: JavaScript rounds what lies exactly between up, Python to the even digit.

function fixedText(value: number): string {
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const size = Math.abs(roundTo(value, precision));
  // From there on `toFixed` gives exponents too.
  return sign + (size < 1e21 ? size.toFixed(precision) : `${BigInt(size)}.000000`);
}

function exponentText(value: number): string {
  const exponent = Number(value.toExponential().split('e')[1]);
  return roundTo(value, precision - exponent)
    .toExponential(precision)
    .replace(/(?<=e[+-])(?=\d$)/, '0');
}

const decimal = /^-?\d+\.\d*$/;

function withoutCommonZeros(texts: readonly string[]): readonly string[] {
  const zeros = texts
    .filter((text) => decimal.test(text))
    .map((text) => text.length - text.replace(/0+$/, '').length);
  if (zeros.length === 0) return texts;
  const common = Math.min(...zeros);
  return texts.map((text) =>
    decimal.test(text) ? text.slice(0, text.length - common).replace(/\.$/, '.0') : text,
  );
}
