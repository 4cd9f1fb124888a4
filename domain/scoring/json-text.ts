import { parseJson } from '../python/json.js';
import type { PythonValue } from '../python/value.js';

/** Python's `json.loads`, which tells `1` from `1.0`, keeps every digit of an int and takes NaN and Infinity; null where it raises. */
export function pythonFromJsonText(text: string): PythonValue | null {
  const parsed = parseJson(text);
  return parsed.kind === 'parsed' ? parsed.value : null;
}
