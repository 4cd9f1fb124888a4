import type { PythonValue } from '../../formats/python/value.js';
import {
  anyValueText,
  pythonOfAnyValue,
  type Action,
  type ActionName,
  type AnyValue,
  type Strictness,
} from './action.js';

/** A field of an action. */
export type Field = string | AnyValue;

/** As the prompt names it. Only a `str` that is not `unchecked` is a text in the action; all else is `AnyValue`. */
export type ParameterType = 'str' | 'int' | 'List[float]' | 'Any';

export interface ParameterSpec {
  readonly name: string;
  readonly type: ParameterType;
  /** Absent where the parameter is required. */
  readonly default?: Field;
  /** A text whose type is looked at only when the action is carried out: until then it may be any literal. */
  readonly unchecked?: true;
  readonly description: string;
}

/** What a model is told about an action. */
export interface ActionSpec {
  readonly name: ActionName;
  readonly description: string;
  /** What comes back. */
  readonly observation: string;
  /** In the order of the action's schema, required ones first. */
  readonly parameters: readonly ParameterSpec[];
  readonly examples: readonly { readonly explanation: string; readonly action: Action }[];
}

// How the reference reads the parameters it checks when an action is carried out (hybrid-agent.md §2.3, §2.6).
// Null stands for a failed check, whose message `retrieval` and `image` observations know.

/**
 * The limit of a search: an int, or what Python's `int(str(value))` makes an int above 0. Read strictly, an int of 0 or
 * less passes, as it does in the reference, and is left to the search to refuse; read tolerantly, `5.0` is 5.
 */
export function limitOf(value: AnyValue, strictness: Strictness): number | null {
  const python = pythonOfAnyValue(value);
  if (python?.kind === 'int' && strictness === 'strict') return Number(python.value);
  const text = anyValueText(value).trim();
  return positive(integerIn(strictness === 'tolerant' ? text.replace(/\.0$/, '') : text));
}

/** ViewImage's paper. */
export const paperIdOf = (value: AnyValue): string | null =>
  value.kind === 'text' ? value.text : null;

/** ViewImage's page, from 1: Python's `int(value)` where that is above 0. */
export function pageNumberOf(value: AnyValue): number | null {
  const python = pythonOfAnyValue(value);
  if (python?.kind === 'str') return positive(integerIn(python.value.trim()));
  const number = python && numberOf(python);
  return number === null ? null : positive(Math.trunc(number));
}

/** ViewImage's box, `[x, y, width, height]` in points from the top left, or `[]` for the whole page. */
export function boundingBoxOf(value: AnyValue): readonly number[] | null {
  const python = pythonOfAnyValue(value);
  if (python?.kind === 'none' || (python?.kind === 'str' && python.value === '')) return [];
  if (python?.kind !== 'list' || ![0, 4].includes(python.items.length)) return null;
  const numbers = python.items.map(floatOf);
  return numbers.every((number) => number !== null) ? numbers : null;
}

/** Python's `float(value)` where it is finite. */
function floatOf(value: PythonValue): number | null {
  const number = value.kind === 'str' ? floatIn(value.value.trim()) : numberOf(value);
  return number !== null && Number.isFinite(number) ? number : null;
}

const numberOf = (value: PythonValue): number | null =>
  value.kind === 'int' || value.kind === 'float' || value.kind === 'bool'
    ? Number(value.value)
    : null;

/** Python's `float(text)` for decimal digits. */
const floatIn = (text: string): number | null =>
  /^[+-]?(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:e[+-]?\d+)?$/i.test(text)
    ? Number(text.replaceAll('_', ''))
    : null;

/** Python's `int(text)` for decimal digits. */
const integerIn = (text: string): number | null =>
  /^[+-]?\d+(?:_\d+)*$/.test(text) ? Number(text.replaceAll('_', '')) : null;

const positive = (number: number | null): number | null =>
  number !== null && Number.isSafeInteger(number) && number > 0 ? number : null;
