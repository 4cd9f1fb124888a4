import { str, strip, type PythonValue } from '../formats/python/value.js';
import { isClose, roundTo } from '../statistics/rounding.js';
import { EvaluatorError, isTruthy, numberOption, type Comparison } from './scorer-options.js';

/** Python's limit on the digits of an int in a text. */
const maxDigits = 4300;
const digitRun = String.raw`\d(?:_?\d)*`;
const intText = new RegExp(`^[+-]?${digitRun}$`);
const floatText = new RegExp(
  `^[+-]?(?:(?:${digitRun}\\.?(?:${digitRun})?|\\.${digitRun})(?:e[+-]?${digitRun})?)$`,
  'i',
);
const namedFloats: ReadonlyMap<string, number> = new Map([
  ['inf', Infinity],
  ['infinity', Infinity],
  ['nan', NaN],
]);

/** Python's `int(value)`. Null if it raises an exception. Truncates floats toward zero. */
export function toInt(value: PythonValue): bigint | null {
  switch (value.kind) {
    case 'int':
      return value.value;
    case 'bool':
      return BigInt(value.value);
    case 'float':
      return Number.isFinite(value.value) ? BigInt(Math.trunc(value.value)) : null;
    case 'str': {
      const text = plainNumber(value.value);
      if (!intText.test(text) || text.length > maxDigits) return null;
      // BigInt takes no plus sign.
      return BigInt(text.replaceAll('_', '').replace('+', ''));
    }
    case 'none':
    case 'ellipsis':
    case 'complex':
    case 'bytes':
    case 'list':
    case 'tuple':
    case 'set':
    case 'dict':
      return null;
  }
}

/** Python's `float(value)`. Null if it raises an exception. */
export function toFloat(value: PythonValue): number | null {
  switch (value.kind) {
    case 'float':
      return value.value;
    case 'int':
    case 'bool': {
      const number = Number(value.value);
      return Number.isFinite(number) ? number : null;
    }
    case 'str': {
      const text = plainNumber(value.value);
      if (floatText.test(text)) return Number(text.replaceAll('_', ''));
      const named = namedFloats.get(text.replace(/^[+-]/, '').toLowerCase());
      return named === undefined ? null : text.startsWith('-') ? -named : named;
    }
    case 'none':
    case 'ellipsis':
    case 'complex':
    case 'bytes':
    case 'list':
    case 'tuple':
    case 'set':
    case 'dict':
      return null;
  }
}

/** Without blanks around it (fewer kinds than `strip` removes), and with the digits of all scripts as 0 to 9. */
function plainNumber(text: string): string {
  return text
    .replace(/^(?:(?!\ufeff)\s|\x85)+|(?:(?!\ufeff)\s|\x85)+$/g, '')
    .replace(/(?!\d)\p{Nd}/gu, (digit) => digitValue(digit).toString());
}

const isDecimalDigit = (codePoint: number): boolean =>
  /\p{Nd}/u.test(String.fromCodePoint(codePoint));

/** In Unicode the ten digits of a script are consecutive. Those of two scripts can be adjacent, hence the remainder. */
function digitValue(digit: string): number {
  const codePoint = digit.codePointAt(0) ?? 0;
  let first = codePoint;
  while (isDecimalDigit(first - 1)) first -= 1;
  return (codePoint - first) % 10;
}

/** Compares ints. The reference truncates floats, so that 42.9 equals 42. In default mode only 42.0 does. */
export function matchesInt(
  answer: PythonValue,
  gold: PythonValue,
  { mode }: Pick<Comparison, 'mode'>,
): boolean {
  if (mode === 'default' && answer.kind === 'float' && !Number.isInteger(answer.value))
    return false;
  const [given, expected] = [toInt(answer), toInt(gold)];
  if (mode === 'default' && expected === null) throw new EvaluatorError('gold is no int');
  return given !== null && given === expected;
}

/**
 * Whether two floats are close after both are rounded to `ndigits`. In strict mode a gold text never matches, and an invalid
 * option means no match, as the reference catches all exceptions here.
 */
export function matchesFloat(
  answer: PythonValue,
  gold: PythonValue,
  { options, mode }: Comparison,
): boolean {
  try {
    if (mode === 'strict' && gold.kind === 'str') return false;
    const [given, expected] = [toFloat(answer), toFloat(gold)];
    const digits = options.get('ndigits') ?? { kind: 'none' };
    const tolerance = numberOption(options, 'tolerance', 1e-6);
    if (!(tolerance >= 0)) throw new EvaluatorError('tolerance is negative');
    if (expected === null) throw new EvaluatorError('gold is no number');
    if (digits.kind !== 'none' && digits.kind !== 'int') {
      throw new EvaluatorError('ndigits is no int');
    }
    if (given === null) return false;
    if (digits.kind === 'none') return isClose(given, expected, tolerance);
    const places = Number(digits.value);
    return isClose(roundTo(given, places), roundTo(expected, places), tolerance);
  } catch (error) {
    if (mode === 'strict' && error instanceof EvaluatorError) return false;
    throw error;
  }
}

const words: ReadonlyMap<string, boolean> = new Map([
  ...['true', '1', 'yes', 'y', 't'].map((word) => [word, true] as const),
  ...['false', '0', 'no', 'n', 'f'].map((word) => [word, false] as const),
]);

/** Compares truth values. The reference does not strip the answer, and reads the gold text `"False"` as true. */
export function matchesBool(
  answer: PythonValue,
  gold: PythonValue,
  { mode }: Pick<Comparison, 'mode'>,
): boolean {
  const given = truthOf(answer, mode === 'strict' ? (text) => text : strip);
  const expected =
    mode === 'default' && gold.kind === 'str'
      ? (truthOf(gold, strip) ?? isTruthy(gold))
      : isTruthy(gold);
  return given === expected;
}

/** Null for what is no truth value. */
export function truthOf(
  value: PythonValue,
  trim: (text: string) => string = strip,
): boolean | null {
  if (value.kind === 'bool') return value.value;
  if (value.kind === 'int' || value.kind === 'float') {
    const number = Number(value.value);
    return number === 1 ? true : number === 0 ? false : null;
  }
  return words.get(trim(str(value).toLowerCase())) ?? null;
}
