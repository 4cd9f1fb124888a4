import type { ExactJson } from '../json.js';

/**
 * A Python literal. JSON cannot represent it: `1` and `1.0`, `(1,)` and `[1]`, `'b'` and `b'b'` are scored differently. Sets
 * and dicts have no equal members or keys, as in Python, and keep the order of the text.
 */
export type PythonValue =
  | { readonly kind: 'none' }
  | { readonly kind: 'ellipsis' }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'int'; readonly value: bigint }
  | { readonly kind: 'float'; readonly value: number }
  | { readonly kind: 'complex'; readonly real: number; readonly imaginary: number }
  | { readonly kind: 'str'; readonly value: string }
  /** One character per byte, U+0000 to U+00FF. */
  | { readonly kind: 'bytes'; readonly value: string }
  | { readonly kind: 'list' | 'tuple' | 'set'; readonly items: readonly PythonValue[] }
  | { readonly kind: 'dict'; readonly entries: readonly PythonEntry[] };

export type PythonEntry = readonly [key: PythonValue, value: PythonValue];

const numberKey = (value: number): string =>
  Number.isInteger(value) ? `number ${BigInt(value).toString()}` : `number ${value}`;

/** Equal for values that are the same key in Python, such as `1`, `1.0` and `True`; null for unhashable values. */
export function hashKey(value: PythonValue): string | null {
  switch (value.kind) {
    case 'none':
    case 'ellipsis':
      return value.kind;
    case 'bool':
      return numberKey(Number(value.value));
    case 'int':
      return `number ${value.value.toString()}`;
    case 'float':
      return numberKey(value.value);
    case 'complex':
      return value.imaginary === 0
        ? numberKey(value.real)
        : `complex ${value.real} ${value.imaginary}`;
    case 'str':
    case 'bytes':
      return `${value.kind} ${value.value}`;
    case 'tuple': {
      const keys = value.items.map(hashKey);
      return keys.includes(null) ? null : `tuple ${JSON.stringify(keys)}`;
    }
    case 'list':
    case 'set':
    case 'dict':
      return null;
  }
}

/** Null when a member is or contains a list, set or dict. */
export function pythonSet(items: readonly PythonValue[]): PythonValue | null {
  const members = new Map<string, PythonValue>();
  for (const item of items) {
    const key = hashKey(item);
    if (key === null) return null;
    if (!members.has(key)) members.set(key, item);
  }
  return { kind: 'set', items: [...members.values()] };
}

/** A repeated key keeps its first position and gets the last value. Null when a key is or contains a list, set or dict. */
export function pythonDict(entries: readonly PythonEntry[]): PythonValue | null {
  const members = new Map<string, PythonEntry>();
  for (const [key, value] of entries) {
    const hash = hashKey(key);
    if (hash === null) return null;
    members.set(hash, [members.get(hash)?.[0] ?? key, value]);
  }
  return { kind: 'dict', entries: [...members.values()] };
}

export type Json =
  null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

// Array.isArray does not narrow a union that holds a readonly array.
const isArray = (json: ExactJson): json is readonly ExactJson[] => Array.isArray(json);

/** Integral numbers become ints, because JSON does not distinguish `1.0` from `1`. */
export function pythonFromJson(json: ExactJson): PythonValue {
  if (json === null) return { kind: 'none' };
  if (typeof json === 'boolean') return { kind: 'bool', value: json };
  if (typeof json === 'string') return { kind: 'str', value: json };
  if (typeof json === 'bigint') return { kind: 'int', value: json };
  if (typeof json === 'number') {
    return Number.isInteger(json)
      ? { kind: 'int', value: BigInt(json) }
      : { kind: 'float', value: json };
  }
  if (isArray(json)) return { kind: 'list', items: json.map(pythonFromJson) };
  const entries = Object.entries(json).map(([key, value]): PythonEntry => [
    { kind: 'str', value: key },
    pythonFromJson(value),
  ]);
  return { kind: 'dict', entries };
}
