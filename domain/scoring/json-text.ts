import type { PythonEntry, PythonValue } from '../python/value.js';

const token = /"(?:[^"\\]|\\.)*"|-?(?:(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|Infinity)|NaN/gs;

/**
 * Python's `json.loads`, which tells `1` from `1.0`, keeps every digit of an int and takes NaN and Infinity; null where it
 * raises. JSON.parse does the reading: it is given numbers as texts marked `n` and texts marked `s`.
 */
export function pythonFromJsonText(text: string): PythonValue | null {
  const marked = text.replace(token, (part) =>
    part.startsWith('"') ? `"s${part.slice(1)}` : `"n${part}"`,
  );
  try {
    return unmark(JSON.parse(marked));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function unmark(json: unknown): PythonValue {
  if (json === null) return { kind: 'none' };
  if (typeof json === 'boolean') return { kind: 'bool', value: json };
  if (typeof json === 'string') {
    return json.startsWith('n') ? numberOf(json.slice(1)) : { kind: 'str', value: json.slice(1) };
  }
  if (Array.isArray(json)) return { kind: 'list', items: json.map(unmark) };
  // JSON.parse gives nothing else.
  const entries = Object.entries(json as object).map(([key, value]): PythonEntry => {
    if (key.startsWith('n')) throw new SyntaxError('a key that is no text');
    return [{ kind: 'str', value: key.slice(1) }, unmark(value)];
  });
  return { kind: 'dict', entries };
}

function numberOf(text: string): PythonValue {
  return /^-?\d+$/.test(text)
    ? { kind: 'int', value: BigInt(text) }
    : { kind: 'float', value: Number(text) };
}
