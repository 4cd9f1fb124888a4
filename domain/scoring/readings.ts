import { pythonFromJsonText } from '../python/json.js';
import { parsePythonLiteral } from '../python/literal.js';
import type { PythonEntry, PythonValue } from '../python/value.js';
import type { ScoringMode } from './comparison.js';

/**
 * The members of a list, tuple or set, native or written out; anything else is one member, as it stands.
 * The default mode reads what models write for Python too: `[true, null]`, curly quotes, a byte-order mark.
 */
export function readList(value: PythonValue, mode: ScoringMode): readonly PythonValue[] {
  return itemsOf(value) ?? itemsOf(written(value, mode)) ?? [value];
}

/**
 * The entries of a dict, native or written as JSON or Python. Null for other JSON; text that is neither is the empty dict
 * to the reference, and null in the default mode.
 */
export function readDict(value: PythonValue, mode: ScoringMode): readonly PythonEntry[] | null {
  if (value.kind === 'dict') return value.entries;
  const json = value.kind === 'str' ? pythonFromJsonText(value.value) : null;
  const read = json ?? written(value, mode);
  if (read?.kind === 'dict') return read.entries;
  return mode === 'strict' && json === null ? [] : null;
}

function itemsOf(value: PythonValue | null): readonly PythonValue[] | null {
  return value !== null && 'items' in value ? value.items : null;
}

function written(value: PythonValue, mode: ScoringMode): PythonValue | null {
  if (value.kind !== 'str') return null;
  const parsed = parsePythonLiteral(value.value, mode === 'strict' ? 'python' : 'lenient');
  return parsed.kind === 'parsed' ? parsed.value : null;
}
