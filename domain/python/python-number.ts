import type { PythonNumber } from './arithmetic.js';
import type { PythonValue } from './value.js';

/** Null for what Python does not calculate with; a bool is an int. */
export function numberOf(value: PythonValue): PythonNumber | null {
  if (value.kind === 'bool') return value.value ? 1n : 0n;
  return value.kind === 'int' || value.kind === 'float' ? value.value : null;
}

export const valueOf = (number: PythonNumber): PythonValue =>
  typeof number === 'bigint' ? { kind: 'int', value: number } : { kind: 'float', value: number };
