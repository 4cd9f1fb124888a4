import type { PythonValue } from '../python/value.js';
import { EvaluatorError, type Options } from './comparison.js';

/** @throws EvaluatorError when it is absent */
export function required(options: Options, name: string): PythonValue {
  const value = options.get(name);
  if (value === undefined) throw new EvaluatorError(`${name} is missing`);
  return value;
}

/** Python's truth: any text but the empty one is on, `"false"` too. */
export function isOn(options: Options, name: string): boolean {
  const value = options.get(name);
  return value !== undefined && isTruthy(value);
}

export function isTruthy(value: PythonValue): boolean {
  switch (value.kind) {
    case 'none':
      return false;
    case 'ellipsis':
      return true;
    case 'bool':
      return value.value;
    case 'int':
    case 'float':
      return Number(value.value) !== 0;
    case 'complex':
      return value.real !== 0 || value.imaginary !== 0;
    case 'str':
    case 'bytes':
      return value.value !== '';
    case 'list':
    case 'tuple':
    case 'set':
      return value.items.length > 0;
    case 'dict':
      return value.entries.length > 0;
  }
}

/** @throws EvaluatorError when it is given and no number */
export function numberOption(options: Options, name: string, otherwise: number): number {
  const value = options.get(name);
  if (value === undefined) return otherwise;
  if (value.kind === 'int' || value.kind === 'float' || value.kind === 'bool') {
    return Number(value.value);
  }
  throw new EvaluatorError(`${name} is no number`);
}

/** @throws EvaluatorError when it is given and no text */
export function textOption(options: Options, name: string, otherwise: string): string {
  const value = options.get(name);
  if (value === undefined) return otherwise;
  if (value.kind === 'str') return value.value;
  throw new EvaluatorError(`${name} is no text`);
}

/** The members that Python's `for` would give. @throws EvaluatorError for what it cannot go through */
export function membersOf(value: PythonValue, name: string): readonly PythonValue[] {
  switch (value.kind) {
    case 'list':
    case 'tuple':
    case 'set':
      return value.items;
    case 'dict':
      return value.entries.map(([key]) => key);
    case 'str':
      return Array.from(value.value, (char) => ({ kind: 'str', value: char }));
    case 'none':
    case 'ellipsis':
    case 'bool':
    case 'int':
    case 'float':
    case 'complex':
    case 'bytes':
      throw new EvaluatorError(`${name} is no list`);
  }
}
