import { PythonError } from './python-error.js';

/** An int or a float: JavaScript's own types tell them apart. */
export type PythonNumber = bigint | number;

/** Some 30 000 digits: enough for any quantity, little enough that no expression takes long. */
const longestIntBits = 100_000;

export type ArithmeticOperator = '+' | '-' | '*' | '/' | '//' | '%' | '**';

/** Python's operators on numbers; throws PythonError. A float to a power may differ from Python's in its last digit. */
export const arithmetic: Readonly<
  Record<ArithmeticOperator, (a: PythonNumber, b: PythonNumber) => PythonNumber>
> = {
  '+': both(
    (a, b) => a + b,
    (a, b) => a + b,
  ),
  '-': both(
    (a, b) => a - b,
    (a, b) => a - b,
  ),
  '*': both(
    (a, b) => {
      checkLength(bitsOf(a) + bitsOf(b));
      return a * b;
    },
    (a, b) => a * b,
  ),
  '/': both(trueQuotient, (a, b) => a / divisor(b, 'float division by zero')),
  '//': both(
    (a, b) => {
      const modulus = intModulus(a, b, 'integer division or modulo by zero');
      return (a - modulus) / b;
    },
    (a, b) => floatQuotient(a, divisor(b, 'float floor division by zero')),
  ),
  '%': both(
    (a, b) => intModulus(a, b, 'integer modulo by zero'),
    (a, b) => floatModulus(a, divisor(b, 'float modulo')),
  ),
  '**': both(intPower, floatPower),
};

/** Throws PythonError where an int is beyond every float. */
export function toFloat(value: PythonNumber): number {
  const float = Number(value);
  if (typeof value === 'bigint' && !Number.isFinite(float)) {
    throw new PythonError('int too large to convert to float');
  }
  return float;
}

function both(
  ints: (a: bigint, b: bigint) => PythonNumber,
  floats: (a: number, b: number) => number,
): (a: PythonNumber, b: PythonNumber) => PythonNumber {
  return (a, b) =>
    typeof a === 'bigint' && typeof b === 'bigint' ? ints(a, b) : floats(toFloat(a), toFloat(b));
}

function divisor<T extends PythonNumber>(value: T, message: string): T {
  if (Number(value) === 0) throw new PythonError(message);
  return value;
}

/** Rounded once, however long the ints are. */
function trueQuotient(a: bigint, b: bigint): number {
  divisor(b, 'division by zero');
  if (isSafe(a) && isSafe(b)) return Number(a) / Number(b);
  // 66 bits of the quotient and whether anything is left of it decide the rounding.
  const shift = 66 - bitsOf(a) + bitsOf(b);
  const [top, bottom] = shift > 0 ? [a << BigInt(shift), b] : [a, b << BigInt(-shift)];
  const quotient = top / bottom;
  const rest = top % bottom === 0n ? 0n : top < 0n === bottom < 0n ? 1n : -1n;
  const float = Number(quotient * 2n + rest) * 2 ** -(shift + 1);
  if (!Number.isFinite(float)) {
    throw new PythonError('integer division result too large for a float');
  }
  return float;
}

const isSafe = (value: bigint): boolean => Number.isSafeInteger(Number(value));

/** The sign is the divisor's. */
function intModulus(a: bigint, b: bigint, message: string): bigint {
  const rest = a % divisor(b, message);
  return rest !== 0n && rest < 0n !== b < 0n ? rest + b : rest;
}

function floatModulus(a: number, b: number): number {
  const rest = a % b;
  if (rest === 0) return b < 0 ? -0 : 0;
  return rest < 0 === b < 0 ? rest : rest + b;
}

/** As CPython computes it: the floor of the quotient without its rounding error. */
function floatQuotient(a: number, b: number): number {
  const rest = a % b;
  const quotient = (a - rest) / b - (rest !== 0 && rest < 0 !== b < 0 ? 1 : 0);
  if (quotient === 0) return a / b < 0 || Object.is(a / b, -0) ? -0 : 0;
  const floor = Math.floor(quotient);
  return quotient - floor > 0.5 ? floor + 1 : floor;
}

function intPower(base: bigint, exponent: bigint): PythonNumber {
  if (exponent < 0n) return floatPower(toFloat(base), toFloat(exponent));
  if (base > 1n || base < -1n) checkLength(bitsOf(base) * Number(exponent));
  else if (exponent > 1n) return base === -1n && exponent % 2n === 0n ? 1n : base;
  return base ** exponent;
}

function floatPower(base: number, exponent: number): number {
  // Where JavaScript knows no answer.
  if (base === 1 || exponent === 0) return 1;
  if (base === -1 && !Number.isFinite(exponent) && !Number.isNaN(exponent)) return 1;
  if (base === 0 && exponent < 0) {
    throw new PythonError('0.0 cannot be raised to a negative power');
  }
  if (
    base < 0 &&
    Number.isFinite(base) &&
    Number.isFinite(exponent) &&
    !Number.isInteger(exponent)
  ) {
    throw new PythonError('the result is a complex number, which is not available here');
  }
  const power = base ** exponent;
  if (!Number.isFinite(power) && Number.isFinite(base) && Number.isFinite(exponent)) {
    throw new PythonError("(34, 'Numerical result out of range')");
  }
  return power;
}

const bitsOf = (value: bigint): number => value.toString(16).replace('-', '').length * 4;

function checkLength(bits: number): void {
  if (bits > longestIntBits) throw new PythonError('the number is too large to calculate with');
}
