/** The largest number of digits that `toFixed` accepts. */
const digits = 100;
const largestExponent = 309;

/** Python's `round`: rounds the exact binary value, ties to even. Negative `ndigits` rounds left of the decimal point. */
export function roundTo(value: number, ndigits: number): number {
  if (!Number.isFinite(value) || ndigits > digits) return value;
  if (ndigits < -largestExponent) return 0;
  const size = Math.abs(value);
  // `toFixed` rounds as Python does, but for ties. A tie has a 5 as its next digit; whether such a value is one takes longer.
  if (ndigits >= 0 && ndigits < digits && size < 1e21 && !size.toFixed(ndigits + 1).endsWith('5')) {
    return Number(value.toFixed(ndigits));
  }
  const scaled =
    size < 1e21
      ? BigInt(size.toFixed(digits).replace('.', ''))
      : BigInt(size) * 10n ** BigInt(digits);
  const unit = 10n ** BigInt(digits - ndigits);
  const whole = scaled / unit;
  const twice = 2n * (scaled % unit);
  const up = twice > unit || (twice === unit && whole % 2n === 1n);
  const rounded = Number(`${up ? whole + 1n : whole}e${-ndigits}`);
  return value < 0 ? -rounded : rounded;
}

/** Python's `round` to an integer: ties to even. */
export const roundHalfEven = (value: number): number => roundTo(value, 0);

/**
 * Python's `math.isclose`: nothing is close to NaN, and without an absolute tolerance only 0 is close to 0.
 * @param tolerance - relative
 */
export function isClose(a: number, b: number, tolerance: number, absolute = 0): boolean {
  if (a === b) return true;
  if (!Number.isFinite(a) || !Number.isFinite(b)) return false;
  const difference = Math.abs(a - b);
  return difference <= Math.max(tolerance * Math.abs(a), tolerance * Math.abs(b), absolute);
}
