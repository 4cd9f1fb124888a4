import { str } from './text.js';
import type { Json, PythonValue } from './value.js';

/**
 * What JSON cannot say (`nan`, bytes, complex numbers, ints that no double is, keys that are no text) becomes its Python text.
 * Keys that get the same text leave the last value.
 */
export function jsonFromPython(value: PythonValue): Json {
  switch (value.kind) {
    case 'none':
      return null;
    case 'bool':
    case 'str':
      return value.value;
    case 'int':
      return exactly(value.value) ?? str(value);
    case 'float':
      return Number.isFinite(value.value) ? value.value : str(value);
    case 'complex':
    case 'bytes':
    case 'ellipsis':
      return str(value);
    case 'list':
    case 'tuple':
    case 'set':
      return value.items.map(jsonFromPython);
    case 'dict':
      return Object.fromEntries(
        value.entries.map(([key, item]) => [str(key), jsonFromPython(item)]),
      );
  }
}

function exactly(int: bigint): number | null {
  const number = Number(int);
  return Number.isFinite(number) && BigInt(number) === int ? number : null;
}
