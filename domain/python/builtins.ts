import { roundTo } from '../scoring/rounding.js';
import { arithmetic, toFloat, type PythonNumber } from './arithmetic.js';
import { PythonError } from './python-error.js';
import { numberOf, valueOf } from './python-number.js';
import type { PythonValue } from './value.js';

export type Builtin = (args: readonly PythonValue[]) => PythonValue;

/** The functions an expression may call. What one of them cannot do it throws as a PythonError. */
export const builtins: ReadonlyMap<string, Builtin> = new Map([
  ofNumbers('abs', 1, ([value]) => (value < 0 || Object.is(value, -0) ? -value : value)),
  ofNumbers('float', 1, ([value]) => toFloat(value)),
  ofNumbers('int', 1, ([value]) => whole(value, Math.trunc)),
  ofNumbers('pow', 2, ([base, exponent = 0n]) => arithmetic['**'](base, exponent)),
  ofNumbers('round', 2, ([value, digits]) => rounded(value, digits)),
  ofMany('len', (items) => valueOf(BigInt(items.length))),
  ofMany('max', (items) => most('max', items, (a, b) => a > b)),
  ofMany('min', (items) => most('min', items, (a, b) => a < b)),
  ofMany('sum', (items) => valueOf(numbersOf('sum', items).reduce(arithmetic['+'], 0n))),
  // Models write `sqrt` as often as `math.sqrt`.
  ...['', 'math.'].flatMap((prefix) => [
    ofNumbers(`${prefix}ceil`, 1, ([value]) => whole(value, Math.ceil)),
    ofNumbers(`${prefix}exp`, 1, ([value]) => Math.exp(toFloat(value))),
    ofNumbers(`${prefix}floor`, 1, ([value]) => whole(value, Math.floor)),
    ofNumbers(`${prefix}log`, 2, ([value, base]) => {
      const log = Math.log(toFloat(positive(value)));
      return base === undefined ? log : log / Math.log(toFloat(positive(base)));
    }),
    ofNumbers(`${prefix}log10`, 1, ([value]) => Math.log10(toFloat(positive(value)))),
    ofNumbers(`${prefix}log2`, 1, ([value]) => Math.log2(toFloat(positive(value)))),
    ofNumbers(`${prefix}sqrt`, 1, ([value]) => Math.sqrt(toFloat(notNegative(value)))),
  ]),
]);

type Numbers = readonly [PythonNumber, ...PythonNumber[]];

/** A function of one to `atMost` numbers. */
function ofNumbers(
  name: string,
  atMost: number,
  calculate: (numbers: Numbers) => PythonNumber,
): readonly [string, Builtin] {
  return [
    name,
    (args) => {
      const [first, ...others] = numbersOf(name, args);
      if (first === undefined || others.length >= atMost) {
        throw new PythonError(
          `${name}() takes ${atMost === 1 ? '1 number' : `1 to ${atMost} numbers`}, not ${args.length}`,
        );
      }
      return valueOf(calculate([first, ...others]));
    },
  ];
}

/** A function of several numbers, or of one list of them. */
function ofMany(
  name: string,
  calculate: (items: readonly PythonValue[]) => PythonValue,
): readonly [string, Builtin] {
  return [
    name,
    (args) => {
      const [first] = args;
      const listed = args.length === 1 && (first?.kind === 'list' || first?.kind === 'tuple');
      return calculate(listed ? first.items : args);
    },
  ];
}

const numbersOf = (name: string, values: readonly PythonValue[]): readonly PythonNumber[] =>
  values.map((value) => {
    const number = numberOf(value);
    if (number === null) throw new PythonError(`${name}() takes numbers, not '${value.kind}'`);
    return number;
  });

/** The item itself: a bool stays one. */
function most(
  name: string,
  items: readonly PythonValue[],
  isMore: (a: PythonNumber, b: PythonNumber) => boolean,
): PythonValue {
  const [first, ...others] = numbersOf(name, items).map((number, index) => ({ number, index }));
  if (first === undefined) throw new PythonError(`${name}() arg is an empty sequence`);
  const best = others.reduce((a, b) => (isMore(b.number, a.number) ? b : a), first);
  return items[best.index] ?? valueOf(best.number);
}

/** An int of what `to` makes of a float. */
function whole(value: PythonNumber, to: (float: number) => number): bigint {
  if (typeof value === 'bigint') return value;
  if (Number.isNaN(value)) throw new PythonError('cannot convert float NaN to integer');
  if (!Number.isFinite(value)) throw new PythonError('cannot convert float infinity to integer');
  return BigInt(to(value));
}

/** Ties to even. Without `digits`, an int. */
function rounded(value: PythonNumber, digits: PythonNumber | undefined): PythonNumber {
  if (digits === undefined) return whole(value, (float) => roundTo(float, 0));
  if (typeof digits !== 'bigint') {
    throw new PythonError("'float' object cannot be interpreted as an integer");
  }
  if (typeof value === 'number') return roundTo(value, Number(digits));
  if (digits >= 0n) return value;
  const unit = 10n ** (digits < -longestUnit ? longestUnit : -digits);
  const rest = ((value % unit) + unit) % unit;
  const low = value - rest;
  const up = rest * 2n > unit || (rest * 2n === unit && (low / unit) % 2n !== 0n);
  return up ? low + unit : low;
}

/** Digits of a number beyond all that can be calculated with. */
const longestUnit = 50_000n;

const positive = (value: PythonNumber): PythonNumber => {
  if (value <= 0) throw new PythonError('math domain error');
  return value;
};

const notNegative = (value: PythonNumber): PythonNumber => {
  if (value < 0) throw new PythonError('math domain error');
  return value;
};
