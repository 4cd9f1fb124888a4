import { byCodePoint, str } from '../python/text.js';
import type { PythonEntry, PythonValue } from '../python/value.js';
import { EvaluatorError, type Comparison } from './comparison.js';
import { matchesBool } from './match-bool.js';
import { matchesFloat, matchesInt } from './match-number.js';
import { matchesText } from './match-string.js';
import { mostPairs } from './most-pairs.js';
import { isOn } from './options.js';
import { readDict, readList } from './readings.js';

/** Compares by the type of the gold, down through lists and dicts; the answer is read anew at every level. */
export function matchesStructure(
  answer: PythonValue,
  gold: PythonValue,
  comparison: Comparison,
): boolean {
  switch (gold.kind) {
    case 'list':
      return matchesList(readList(answer, comparison.mode), gold.items, comparison);
    case 'dict': {
      const given = readDict(answer, comparison.mode);
      return given !== null && matchesDict(given, gold.entries, comparison);
    }
    case 'bool':
      // To Python a bool is an int, so that the reference takes 1 for true and no `yes`.
      return comparison.mode === 'strict'
        ? matchesInt(answer, gold, comparison)
        : matchesBool(answer, gold, comparison);
    case 'int':
      return matchesInt(answer, gold, comparison);
    case 'float':
      return matchesFloat(answer, gold, comparison);
    case 'none':
    case 'ellipsis':
    case 'complex':
    case 'str':
    case 'bytes':
    case 'tuple':
    case 'set':
      return matchesText(answer, gold, comparison);
  }
}

/** Member by member; with `ignore_order` the reference sorts both sides as they stand, here any pairing that fits will do. */
function matchesList(
  given: readonly PythonValue[],
  gold: readonly PythonValue[],
  comparison: Comparison,
): boolean {
  if (given.length !== gold.length) return false;
  const fits = (one: PythonValue, other: PythonValue): boolean =>
    matchesStructure(one, other, comparison);
  const anyOrder = isOn(comparison.options, 'ignore_order');
  if (anyOrder && comparison.mode === 'default') {
    return mostPairs(given, gold, fits) === gold.length;
  }
  return anyOrder ? pairsFit(inOrder(given), inOrder(gold), fits) : pairsFit(given, gold, fits);
}

const inOrder = (values: readonly PythonValue[]): readonly PythonValue[] =>
  values.toSorted((a, b) => byCodePoint(str(a), str(b)));

function pairsFit(
  given: readonly PythonValue[],
  gold: readonly PythonValue[],
  fits: (one: PythonValue, other: PythonValue) => boolean,
): boolean {
  return gold.every((member, index) => {
    const other = given[index];
    return other !== undefined && fits(other, member);
  });
}

function matchesDict(
  given: readonly PythonEntry[],
  gold: readonly PythonEntry[],
  comparison: Comparison,
): boolean {
  if (given.length !== gold.length) return false;
  const lowercase =
    isOn(comparison.options, 'lowercase') &&
    (comparison.mode === 'strict' || byKey(gold, comparison, true).size === gold.length);
  const answer = byKey(given, comparison, lowercase);
  return [...byKey(gold, comparison, lowercase)].every(([key, value]) => {
    const found = answer.get(key);
    return found !== undefined && matchesStructure(found, value, comparison);
  });
}

/**
 * By keys that are text; the default mode takes any other key by its text. Of keys that `lowercase` makes equal the last
 * value hides the others, which is why the default mode keeps the case where the gold has such keys.
 */
function byKey(
  entries: readonly PythonEntry[],
  { mode }: Comparison,
  lowercase: boolean,
): ReadonlyMap<string, PythonValue> {
  const members = new Map<string, PythonValue>();
  for (const [key, value] of entries) {
    if (mode === 'strict' && key.kind !== 'str') {
      // The reference lower-cases every key before it looks at one, and raises where that cannot be done.
      if (lowercase) throw new EvaluatorError('a key of the answer is no text');
      continue;
    }
    members.set(lowercase ? str(key).toLowerCase() : str(key), value);
  }
  return members;
}
