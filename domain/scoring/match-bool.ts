import { str, strip } from '../python/text.js';
import type { PythonValue } from '../python/value.js';
import type { Comparison } from './comparison.js';
import { isTruthy } from './options.js';

const words: ReadonlyMap<string, boolean> = new Map([
  ...['true', '1', 'yes', 'y', 't'].map((word) => [word, true] as const),
  ...['false', '0', 'no', 'n', 'f'].map((word) => [word, false] as const),
]);

/** Equal truths. The reference strips no blanks off the answer, and takes the gold text `"False"` for true. */
export function matchesBool(
  answer: PythonValue,
  gold: PythonValue,
  { mode }: Pick<Comparison, 'mode'>,
): boolean {
  const given = truthOf(answer, mode === 'strict' ? (text) => text : strip);
  const expected =
    mode === 'default' && gold.kind === 'str'
      ? (truthOf(gold, strip) ?? isTruthy(gold))
      : isTruthy(gold);
  return given === expected;
}

function truthOf(value: PythonValue, trim: (text: string) => string): boolean | null {
  if (value.kind === 'bool') return value.value;
  if (value.kind === 'int' || value.kind === 'float') {
    const number = Number(value.value);
    return number === 1 ? true : number === 0 ? false : null;
  }
  return words.get(trim(str(value).toLowerCase())) ?? null;
}
