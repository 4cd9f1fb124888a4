/** The bytes pandas' `to_json` gives a double: ten decimals at most, `.0` for integral ones, `null` for what is not finite. */
export function pandasNumber(value: number): string {
  if (!Number.isFinite(value)) return 'null';
  const size = Math.abs(value);
  if (size > 1e16 || (size !== 0 && size < 1e-15)) return significantDigits(value);

  // Step by step as pandas does it: rounding the exact decimal value would differ in the last digit.
  let whole = Math.trunc(size);
  const scaled = (size - whole) * 1e10;
  let fraction = Math.trunc(scaled);
  const rest = scaled - fraction;
  if (rest > 0.5 || (rest === 0.5 && (fraction === 0 || fraction % 2 === 1))) fraction += 1;
  if (fraction >= 1e10) {
    fraction = 0;
    whole += 1;
  }
  const decimals = fraction.toString().padStart(10, '0').replace(/0+$/, '');
  return `${value < 0 ? '-' : ''}${BigInt(whole).toString()}.${decimals === '' ? '0' : decimals}`;
}

/** C's `%.10g` in its exponent form. */
function significantDigits(value: number): string {
  const [mantissa = '', exponent = ''] = value.toExponential(9).split('e');
  const digits = mantissa.replace(/\.?0+$/, '');
  return `${digits}e${exponent.charAt(0)}${exponent.slice(1).padStart(2, '0')}`;
}
