import type { SyntaxNode, Tree } from '@lezer/common';
import { parser } from '@lezer/python';
import { roundTo } from '../../statistics/rounding.js';
import { parsePythonLiteral } from './literal.js';
import type { PythonValue } from './value.js';

/** The maximum length of an expression, because parsing time grows faster than the length. */
const longest = 2_000;

type Evaluation =
  | { readonly kind: 'value'; readonly value: PythonValue }
  /** Python's error message, if Python has one. */
  | { readonly kind: 'error'; readonly message: string };

/**
 * Evaluates a Python expression of numbers: operators, comparisons, lists, and the functions in `builtins`. It walks the
 * syntax tree and executes no code. The size of each step is bounded.
 */
export function evaluateExpression(text: string): Evaluation {
  try {
    return { kind: 'value', value: evaluate(text.trim()) };
  } catch (error) {
    if (!(error instanceof PythonError)) throw error;
    return { kind: 'error', message: error.message };
  }
}

function evaluate(text: string): PythonValue {
  if (text.length > longest) {
    throw new PythonError(`the expression is longer than ${longest} characters`);
  }
  // The grammar reads the point in `5.` as an attribute access.
  const source = text.replaceAll(/(?<![\w.])(\d[\d_]*\.)(?=[eE][+-]?\d|[^\w.]|$)/g, '$10');
  const tree = parser.parse(source);
  const [statement, ...others] = partsOf(tree.topNode);
  if (statement?.name !== 'ExpressionStatement' || others.length > 0 || isBroken(tree)) {
    throw new PythonError('invalid syntax (<string>, line 1)');
  }
  const items = partsOf(statement);
  return items.length === 1 ? valueAt(items[0]) : tupleOf(items);

  function valueAt(node: SyntaxNode | undefined): PythonValue {
    if (!node) throw new PythonError('invalid syntax (<string>, line 1)');
    const parts = partsOf(node);
    const [first, second, third] = parts;
    switch (node.name) {
      case 'Number':
      case 'Boolean': {
        const literal = parsePythonLiteral(textOf(node));
        if (literal.kind === 'parsed') return literal.value;
        throw new PythonError(literal.reason);
      }
      case 'ParenthesizedExpression':
        return valueAt(second);
      case 'ArrayExpression':
        return { kind: 'list', items: itemsOf(parts.slice(1, -1)) };
      case 'TupleExpression':
        return tupleOf(parts.slice(1, -1));
      case 'UnaryExpression':
        if (first?.name !== 'ArithOp') break;
        return signed(textOf(first), valueAt(second));
      case 'BinaryExpression':
        if (second?.name === 'CompareOp') return { kind: 'bool', value: holds(node) };
        if (second?.name !== 'ArithOp') break;
        return calculated(textOf(second), valueAt(first), valueAt(third));
      case 'ConditionalExpression':
        return valueAt(numberAt(third) ? first : parts[4]);
      case 'CallExpression':
        if (!first || !second) break;
        return called(textOf(first), itemsOf(partsOf(second).slice(1, -1)));
      case 'VariableName':
      case 'MemberExpression':
        return constant(textOf(node));
    }
    throw new PythonError(`${textOf(node)} is not available: only numbers are calculated here`);
  }

  function numberAt(node: SyntaxNode | undefined): PythonNumber {
    const value = valueAt(node);
    const number = numberOf(value);
    if (number === null) throw new PythonError(`${value.kind} is not a number`);
    return number;
  }

  /** `a < b < c` means `a < b` and `b < c`. */
  function holds(comparison: SyntaxNode): boolean {
    const [first, ...links] = chainOf(comparison);
    let left = numberAt(first?.operand);
    return links.every(({ operator, operand }) => {
      const right = numberAt(operand);
      const linkHolds = compare(textOf(operator), left, right);
      left = right;
      return linkHolds;
    });
  }

  function itemsOf(nodes: readonly SyntaxNode[]): readonly PythonValue[] {
    return nodes.filter(({ name }) => name !== ',').map(valueAt);
  }

  function tupleOf(nodes: readonly SyntaxNode[]): PythonValue {
    return { kind: 'tuple', items: itemsOf(nodes) };
  }

  function textOf({ from, to }: SyntaxNode): string {
    return source.slice(from, to);
  }
}

function partsOf(node: SyntaxNode): readonly SyntaxNode[] {
  const parts: SyntaxNode[] = [];
  for (let part = node.firstChild; part; part = part.nextSibling) {
    if (part.name !== 'Comment') parts.push(part);
  }
  return parts;
}

function isBroken(tree: Tree): boolean {
  let broken = false;
  tree.iterate({ enter: ({ type }) => void (broken ||= type.isError) });
  return broken;
}

/** The operands of a comparison, each with the operator before it; the operator of the first is unused. */
function chainOf(node: SyntaxNode): readonly { operator: SyntaxNode; operand: SyntaxNode }[] {
  const [left, operator, right] = partsOf(node);
  if (operator?.name !== 'CompareOp' || !left || !right) return [{ operator: node, operand: node }];
  return [...chainOf(left), { operator, operand: right }];
}

function signed(operator: string, operand: PythonValue): PythonValue {
  const number = numberOf(operand);
  if (number === null || !['+', '-'].includes(operator)) {
    throw new PythonError(`bad operand type for unary ${operator}: '${operand.kind}'`);
  }
  return valueOf(operator === '-' ? -number : number);
}

function calculated(operator: string, left: PythonValue, right: PythonValue): PythonValue {
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a === null || b === null || !isOperator(operator)) {
    throw new PythonError(
      `unsupported operand type(s) for ${operator}: '${left.kind}' and '${right.kind}'`,
    );
  }
  return valueOf(arithmetic[operator](a, b));
}

const isOperator = (text: string): text is ArithmeticOperator => Object.hasOwn(arithmetic, text);

function compare(operator: string, a: PythonNumber, b: PythonNumber): boolean {
  switch (operator) {
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    case '>=':
      return a >= b;
    // `==` on purpose: an int may equal a float.
    case '==':
      return a == b;
    case '!=':
      return a != b;
    default:
      throw new PythonError('invalid syntax (<string>, line 1)');
  }
}

function called(name: string, args: readonly PythonValue[]): PythonValue {
  const builtin = builtins.get(name);
  if (!builtin) throw new PythonError(`name '${name}' is not defined`);
  return builtin(args);
}

const constants: ReadonlyMap<string, number> = new Map(
  Object.entries({ pi: Math.PI, e: Math.E }).flatMap(([name, value]) => [
    [name, value],
    [`math.${name}`, value],
  ]),
);

function constant(name: string): PythonValue {
  const value = constants.get(name);
  if (value === undefined) throw new PythonError(`name '${name}' is not defined`);
  return valueOf(value);
}

/** An exception of Python; the message is its `str`. */
class PythonError extends Error {
  override readonly name = 'PythonError';
}

/** A Python int as bigint, or a float as number. */
type PythonNumber = bigint | number;

/** The number of a value; null when it is not a number. A bool is an int. */
function numberOf(value: PythonValue): PythonNumber | null {
  if (value.kind === 'bool') return value.value ? 1n : 0n;
  return value.kind === 'int' || value.kind === 'float' ? value.value : null;
}

const valueOf = (number: PythonNumber): PythonValue =>
  typeof number === 'bigint' ? { kind: 'int', value: number } : { kind: 'float', value: number };

/** About 30,000 digits. The limit bounds the time of any expression. */
const longestIntBits = 100_000;

type ArithmeticOperator = '+' | '-' | '*' | '/' | '//' | '%' | '**';

/** Python's operators on numbers. They throw PythonError. The last digit of a float power may differ from Python's. */
const arithmetic: Readonly<
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

/** Throws PythonError when an int is too large for a float. */
function toFloat(value: PythonNumber): number {
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

/** The correctly rounded quotient, for ints of any length. */
function trueQuotient(a: bigint, b: bigint): number {
  divisor(b, 'division by zero');
  if (isSafe(a) && isSafe(b)) return Number(a) / Number(b);
  // 66 bits of the quotient, and whether there is a remainder, determine the rounding.
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

/** As in Python, the result has the sign of the divisor. */
function intModulus(a: bigint, b: bigint, message: string): bigint {
  const rest = a % divisor(b, message);
  return rest !== 0n && rest < 0n !== b < 0n ? rest + b : rest;
}

function floatModulus(a: number, b: number): number {
  const rest = a % b;
  if (rest === 0) return b < 0 ? -0 : 0;
  return rest < 0 === b < 0 ? rest : rest + b;
}

/** Python's `//` on floats, with the algorithm of CPython. */
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
  // JavaScript returns NaN for some of these arguments.
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

type Builtin = (args: readonly PythonValue[]) => PythonValue;

/** The functions available in expressions. They throw PythonError. */
const builtins: ReadonlyMap<string, Builtin> = new Map([
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

/** The greatest or least item. It is returned unchanged, so that a bool stays a bool. */
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

/** Converts a float to an int. @param to - the rounding function */
function whole(value: PythonNumber, to: (float: number) => number): bigint {
  if (typeof value === 'bigint') return value;
  if (Number.isNaN(value)) throw new PythonError('cannot convert float NaN to integer');
  if (!Number.isFinite(value)) throw new PythonError('cannot convert float infinity to integer');
  return BigInt(to(value));
}

/** Python's `round`: ties to even; an int when `digits` is missing. */
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

/** More digits than any number within `longestIntBits` has. */
const longestUnit = 50_000n;

const positive = (value: PythonNumber): PythonNumber => {
  if (value <= 0) throw new PythonError('math domain error');
  return value;
};

const notNegative = (value: PythonNumber): PythonNumber => {
  if (value < 0) throw new PythonError('math domain error');
  return value;
};
