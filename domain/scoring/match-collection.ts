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
function readDict(value: PythonValue, mode: ScoringMode): readonly PythonEntry[] | null {
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

/**
 * The most pairs that can be made of `lefts` and `rights` where `fits` allows, each used once (augmenting paths).
 * `fits` is asked at most once for a pair.
 */
function mostPairs<L, R>(
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

/** Whether every member of the answer is a gold element. An empty answer passes with the reference, and fails here. */
export function areElements(answer: PythonValue, comparison: Comparison): boolean {
  const given = readList(answer, comparison.mode);
  if (comparison.mode === 'default' && given.length === 0) return false;
  return given.every((member) => isElement(member, comparison));
}

/**
 * Whether the answer has `count` gold elements at least. The reference counts members of the answer by their text, so that
 * `a` and `A` are two; here each gold element counts once. A count of 0 still needs one.
 */
export function overlaps(answer: PythonValue, comparison: Comparison): boolean {
  const count = Math.max(1, numberOption(comparison.options, 'count', 1));
  const given = readList(answer, comparison.mode);
  if (comparison.mode === 'default') {
    const fits = (one: PythonValue, gold: PythonValue): boolean =>
      fitsElement(one, gold, comparison);
    return mostPairs(given, elementsOf(comparison), fits) >= count;
  }
  const texts = given.filter((member) => isElement(member, comparison)).map(str);
  return new Set(texts).size >= count;
}

/** A gold that is one text is a single element; the reference goes through its characters. */
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

/** Whether the answer is the title of the paper asked for, or of one of them, nearly letter by letter. */
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
  const anyOrder = isEnabled(comparison.options, 'ignore_order');
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
    isEnabled(comparison.options, 'lowercase') &&
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
