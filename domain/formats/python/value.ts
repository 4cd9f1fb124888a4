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

/** Python's `str(value)`: a string unchanged, any other value as its `repr`. */
export function str(value: PythonValue): string {
  return value.kind === 'str' ? value.value : repr(value);
}

/**
 * Python's `repr(value)`. Two differences: sets keep the order of their members, and Node's Unicode version decides which
 * characters are printable.
 */
export function repr(value: PythonValue): string {
  switch (value.kind) {
    case 'none':
      return 'None';
    case 'ellipsis':
      return 'Ellipsis';
    case 'bool':
      return value.value ? 'True' : 'False';
    case 'int':
      return value.value.toString();
    case 'float':
      return floatText(value.value);
    case 'complex':
      return complexText(value.real, value.imaginary);
    case 'str':
      return quoted(value.value, unprintable);
    case 'bytes':
      return `b${quoted(value.value, notAscii)}`;
    case 'list':
      return `[${value.items.map(repr).join(', ')}]`;
    case 'tuple':
      return `(${value.items.map(repr).join(', ')}${value.items.length === 1 ? ',' : ''})`;
    case 'set':
      return value.items.length === 0 ? 'set()' : `{${value.items.map(repr).join(', ')}}`;
    case 'dict':
      return `{${value.entries.map(([key, item]) => `${repr(key)}: ${repr(item)}`).join(', ')}}`;
  }
}

/** Python's `repr` of a float: the shortest digits that round-trip; exponents below 1e-4 and from 1e16 on. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  if (Object.is(value, -0)) return '-0.0';
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) {
    return value.toExponential().replace(/(?<=e[+-])(?=\d$)/, '0');
  }
  return Number.isInteger(value) ? `${value}.0` : value.toString();
}

function complexText(real: number, imaginary: number): string {
  const part = (value: number) => floatText(value).replace(/\.0$/, '');
  if (Object.is(real, 0)) return `${part(imaginary)}j`;
  const sign = imaginary < 0 || Object.is(imaginary, -0) ? '' : '+';
  return `(${part(real)}${sign}${part(imaginary)}j)`;
}

const unprintable = /[\\\n\r\t]|(?! )[\p{C}\p{Z}]/gu;
const notAscii = /[\\\n\r\t]|[^ -~]/g;

const shortEscapes: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

function quoted(text: string, escaped: RegExp): string {
  const body = text.replace(escaped, (char) => shortEscapes.get(char) ?? hexEscape(char));
  if (!text.includes("'")) return `'${body}'`;
  return text.includes('"') ? `'${body.replaceAll("'", "\\'")}'` : `"${body}"`;
}

function hexEscape(char: string): string {
  const hex = (char.codePointAt(0) ?? 0).toString(16);
  if (hex.length <= 2) return `\\x${hex.padStart(2, '0')}`;
  return hex.length <= 4 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

/** Whether Python's `strip` and `\s` treat a character as white space. JavaScript differs for six characters. */
export const isBlank = (char: string): boolean =>
  '\x1c\x1d\x1e\x1f\x85'.includes(char) || (char !== '\ufeff' && /\s/.test(char));

/** Python's `text.strip()`. */
export function strip(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charAt(start))) start++;
  while (end > start && isBlank(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Python's order of strings. JavaScript sorts U+E000 to U+FFFF after the characters of two UTF-16 units. */
export function byCodePoint(a: string, b: string): number {
  for (let at = 0; at < a.length && at < b.length;) {
    const [one = 0, two = 0] = [a.codePointAt(at), b.codePointAt(at)];
    if (one !== two) return one - two;
    at += one > 0xffff ? 2 : 1;
  }
  return a.length - b.length;
}
