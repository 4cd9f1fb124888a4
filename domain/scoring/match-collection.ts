import { pythonFromJsonText } from '../formats/python/json.js';
import { parsePythonLiteral } from '../formats/python/literal.js';
import { byCodePoint, str } from '../formats/python/text.js';
import type { PythonEntry, PythonValue } from '../formats/python/value.js';
import { ratio } from './fuzzy-matching.js';
import { matchesBool, matchesFloat, matchesInt } from './match-number.js';
import { matchesText, thresholdOf } from './match-string.js';
import {
  EvaluatorError,
  isEnabled,
  membersOf,
  numberOption,
  required,
  textOption,
  type Comparison,
  type ScoringMode,
} from './scorer-options.js';

/**
 * The members of a list, tuple or set, or of a text that represents one. Any other value is its own single member. Default
 * mode also reads common deviations from Python's syntax: `[true, null]`, curly quotes, a byte-order mark.
 */
export function readList(value: PythonValue, mode: ScoringMode): readonly PythonValue[] {
  return itemsOf(value) ?? itemsOf(literalIn(value, mode)) ?? [value];
}

/**
 * The entries of a dict, or of a text that represents one in JSON or Python. Null for other JSON. For any other text, the
 * empty dict in strict mode, as in the reference, and null in default mode.
 */
function readDict(value: PythonValue, mode: ScoringMode): readonly PythonEntry[] | null {
  if (value.kind === 'dict') return value.entries;
  const json = value.kind === 'str' ? pythonFromJsonText(value.value) : null;
  const read = json ?? literalIn(value, mode);
  if (read?.kind === 'dict') return read.entries;
  return mode === 'strict' && json === null ? [] : null;
}

function itemsOf(value: PythonValue | null): readonly PythonValue[] | null {
  return value !== null && 'items' in value ? value.items : null;
}

function literalIn(value: PythonValue, mode: ScoringMode): PythonValue | null {
  if (value.kind !== 'str') return null;
  const parsed = parsePythonLiteral(value.value, mode === 'strict' ? 'python' : 'lenient');
  return parsed.kind === 'parsed' ? parsed.value : null;
}

/** The size of a maximum bipartite matching of `lefts` and `rights`, found by augmenting paths. */
function maxPairs<L, R>(
  lefts: readonly L[],
  rights: readonly R[],
  fits: (left: L, right: R) => boolean,
): number {
  const fitting = lefts.map((left) => rights.map((right) => fits(left, right)));
  const leftOf = new Map<number, number>();

  const place = (left: number, tried: Set<number>): boolean => {
    for (const [right, fit] of (fitting[left] ?? []).entries()) {
      if (!fit || tried.has(right)) continue;
      tried.add(right);
      const holder = leftOf.get(right);
      if (holder === undefined || place(holder, tried)) {
        leftOf.set(right, left);
        return true;
      }
    }
    return false;
  };
  return lefts.filter((_, left) => place(left, new Set())).length;
}

/** Whether the answer is one of the gold elements. */
export function isElement(answer: PythonValue, comparison: Comparison): boolean {
  return elementsOf(comparison).some((gold) => fitsElement(answer, gold, comparison));
}

/** Whether every member of the answer is a gold element. An empty answer passes in strict mode only, as in the reference. */
export function areElements(answer: PythonValue, comparison: Comparison): boolean {
  const given = readList(answer, comparison.mode);
  if (comparison.mode === 'default' && given.length === 0) return false;
  return given.every((member) => isElement(member, comparison));
}

/**
 * Whether the answer contains at least `count` gold elements, and at least one. The reference counts the members of the
 * answer, so that `a` and `A` are two. In default mode each gold element counts once.
 */
export function overlaps(answer: PythonValue, comparison: Comparison): boolean {
  const count = Math.max(1, numberOption(comparison.options, 'count', 1));
  const given = readList(answer, comparison.mode);
  if (comparison.mode === 'default') {
    const fits = (one: PythonValue, gold: PythonValue): boolean =>
      fitsElement(one, gold, comparison);
    return maxPairs(given, elementsOf(comparison), fits) >= count;
  }
  const texts = given.filter((member) => isElement(member, comparison)).map(str);
  return new Set(texts).size >= count;
}

/** In default mode a gold text is a single element. The reference iterates over its characters. */
function elementsOf({ options, mode }: Comparison): readonly PythonValue[] {
  const gold = required(options, 'gold');
  return mode === 'default' && gold.kind === 'str' ? [gold] : membersOf(gold, 'gold');
}

function fitsElement(answer: PythonValue, gold: PythonValue, comparison: Comparison): boolean {
  const options = new Map([['ndigits', { kind: 'int', value: 2n }], ...comparison.options]);
  switch (textOption(options, 'element_type', 'str')) {
    case 'str':
      return matchesText(answer, gold, comparison);
    case 'int':
      return matchesInt(answer, gold, comparison);
    case 'float':
      return matchesFloat(answer, gold, { ...comparison, options });
    default:
      return matchesStructure(answer, gold, { ...comparison, options });
  }
}

/** Whether the answer is nearly equal to the reference title, or to one of several. */
export function isRelevantPaper(answer: PythonValue, comparison: Comparison): boolean {
  required(comparison.options, 'question');
  const reference = required(comparison.options, 'reference_answer');
  if (answer.kind !== 'str') throw new EvaluatorError('the answer is no text');
  const given = answer.value.toLowerCase();
  const isTitle = (title: PythonValue): boolean => {
    if (title.kind !== 'str') throw new EvaluatorError('a reference answer is no text');
    return ratio(given, title.value.toLowerCase()) >= thresholdOf(comparison, 95);
  };
  if (reference.kind === 'str') return isTitle(reference);
  if (reference.kind === 'list') return reference.items.some(isTitle);
  if (comparison.mode === 'default') throw new EvaluatorError('reference_answer is no text');
  return false;
}

/** Compares by the type of the gold answer, recursively in lists and dicts. A text in the answer is parsed at every level. */
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
      // A bool is an int in Python, so the reference accepts 1 for true, but not `yes`.
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

/** Compares member by member. With `ignore_order`, strict mode sorts both lists first, and default mode accepts any pairing. */
function matchesList(
  given: readonly PythonValue[],
  gold: readonly PythonValue[],
  comparison: Comparison,
): boolean {
  if (given.length !== gold.length) return false;
  const fits = (one: PythonValue, other: PythonValue): boolean =>
    matchesStructure(one, other, comparison);
  const anyOrder = isEnabled(comparison.options, 'ignore_order');
  if (anyOrder && comparison.mode === 'default') {
    return maxPairs(given, gold, fits) === gold.length;
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
    isEnabled(comparison.options, 'lowercase') &&
    (comparison.mode === 'strict' || byKey(gold, comparison, true).size === gold.length);
  const answer = byKey(given, comparison, lowercase);
  return [...byKey(gold, comparison, lowercase)].every(([key, value]) => {
    const found = answer.get(key);
    return found !== undefined && matchesStructure(found, value, comparison);
  });
}

/**
 * The entries by the text of their keys. Strict mode ignores keys that are not texts. If `lowercase` makes keys equal, the
 * last value wins, so default mode keeps the case if the gold answer has such keys.
 */
function byKey(
  entries: readonly PythonEntry[],
  { mode }: Comparison,
  lowercase: boolean,
): ReadonlyMap<string, PythonValue> {
  const members = new Map<string, PythonValue>();
  for (const [key, value] of entries) {
    if (mode === 'strict' && key.kind !== 'str') {
      // The reference lower-cases every key first, and raises an exception for a key that is not a text.
      if (lowercase) throw new EvaluatorError('a key of the answer is no text');
      continue;
    }
    members.set(lowercase ? str(key).toLowerCase() : str(key), value);
  }
  return members;
}
