/** The largest number of digits that `toFixed` accepts. */
const digits = 100;
const largestExponent = 309;

/** Python's `round`: rounds the exact binary value, ties to even. Negative `ndigits` rounds left of the decimal point. */
export function roundTo(value: number, ndigits: number): number {
  if (!Number.isFinite(value) || ndigits > digits) return value;
  if (ndigits < -largestExponent) return 0;
  const size = Math.abs(value);
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

/** Python's `math.isclose` with a relative tolerance: only 0 is close to 0, and nothing is close to NaN. */
export function isClose(a: number, b: number, tolerance: number): boolean {
  if (a === b) return true;
  if (!Number.isFinite(a) || !Number.isFinite(b)) return false;
  return Math.abs(a - b) <= tolerance * Math.max(Math.abs(a), Math.abs(b));
}
