import type { SyntaxNode, Tree } from '@lezer/common';
import { parser } from '@lezer/python';
import {
  arithmetic,
  builtins,
  numberOf,
  PythonError,
  valueOf,
  type ArithmeticOperator,
  type PythonNumber,
} from './arithmetic.js';
import { parsePythonLiteral } from './literal.js';
import type { PythonValue } from './value.js';

/** The maximum length of an expression, because parsing time grows faster than the length. */
const longest = 2_000;

export type Evaluation =
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
