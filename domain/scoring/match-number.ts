import type { PythonValue } from '../python/value.js';
import { EvaluatorError, type Comparison } from './comparison.js';
import { numberOption } from './options.js';
import { isClose, roundTo } from './rounding.js';
import { toFloat, toInt } from './to-number.js';

/** Equal ints. The reference cuts the decimals off floats, so that 42.9 is 42; here only 42.0 is. */
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
 * Floats that are close after rounding both to `ndigits`. To the reference a gold that is text matches nothing, and no
 * option can be wrong: what would raise is no match.
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
