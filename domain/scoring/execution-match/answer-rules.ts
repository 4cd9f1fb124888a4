import { byCodePoint, floatText, strip } from '../../formats/python/value.js';
import { groupsOf } from '../../statistics/means.js';
import { isClose, roundTo } from '../../statistics/rounding.js';
import { toFloat } from '../match-number.js';
import { matched, unmatched, type ExecutionMatch } from './result-comparison.js';

const tolerance = 1e-4;
const leastSimilarity = 0.95;

/**
 * DABstep: two texts are equal as numbers, lists or texts, whatever their case. The first number in a text stands for the text,
 * its sign is not read, and a list may have any order. A single word equals a text that contains it.
 */
export function dabstepMatch(answer: string, gold: string): ExecutionMatch {
  return textsMatch(answer, gold) ? matched : unmatched('The texts differ.');
}

function textsMatch(answer: string, gold: string): boolean {
  const [a, b] = [strip(answer).toLowerCase(), strip(gold).toLowerCase()];
  const isNumber = formattedNumber.test(a) || formattedNumber.test(b);
  if (!isNumber && /[,;]/.test(a + b)) return listsMatch(a, b);
  const [left, right] = [firstNumber(a), firstNumber(b)];
  if (left !== null && right !== null) return numbersMatch(left, right);
  return !isNumber && wordsMatch(a, b);
}

/** A number with a separator, such as `1,000` or `$0.99`; `64` is none. */
const formattedNumber = /^\$?(?:\p{Nd}{1,3}(?:,\p{Nd}{3})+(?:\.\p{Nd}+)?|\p{Nd}+[.,]\p{Nd}+)$/u;

function firstNumber(text: string): number | null {
  const found = /\p{Nd}*\.\p{Nd}+|\p{Nd}+\.?\p{Nd}*/u.exec(text.replace(/[,$]/g, ''));
  return found && toFloat({ kind: 'str', value: found[0] });
}

/** From 1 on, numbers are rounded to the digits of the one that has fewer. */
function numbersMatch(a: number, b: number): boolean {
  const close = isClose(a, b, tolerance, tolerance);
  if (a < 1 && b < 1) return close;
  const digits = Math.min(fractionDigits(a), fractionDigits(b));
  return close || roundTo(a, digits) === roundTo(b, digits);
}

/** Python writes an integral float with one digit behind the point, and a large one with an exponent, which counts as digits. */
const fractionDigits = (value: number): number => floatText(value).split('.')[1]?.length ?? 0;

function listsMatch(a: string, b: string): boolean {
  const [left, right] = [itemsOf(a), itemsOf(b)];
  return (
    left.length === right.length &&
    left.every((item, index) => textsMatch(item, right[index] ?? ''))
  );
}

const itemsOf = (list: string): readonly string[] =>
  list
    .replace(/^\[|\]$/g, '')
    .split(/[,;]/)
    .map(strip)
    .filter((item) => item !== '')
    .sort(byCodePoint);

function wordsMatch(a: string, b: string): boolean {
  const [left, right] = [wordsOf(a), wordsOf(b)];
  if (left.join('') === right.join('')) return true;
  const hasSingleWord = left.length === 1 || right.length === 1;
  if (!hasSingleWord || left.length === 0 || right.length === 0) {
    return similarity(a, b) > leastSimilarity;
  }
  return left.every((word) => right.includes(word)) || right.every((word) => left.includes(word));
}

const wordsOf = (text: string): readonly string[] => text.match(/[\p{L}\p{N}_]+/gu) ?? [];

/** From this length on, characters that are more than 1 % of the second text begin no block. */
const popularFrom = 200;

/** The `ratio` of Python's `difflib.SequenceMatcher`, from 0 to 1: the share of characters in common blocks. It depends on the order of the texts. */
function similarity(a: string, b: string): number {
  const [left, right] = [Array.from(a), Array.from(b)];
  const length = left.length + right.length;
  return length === 0 ? 1 : (2 * commonCharacters(left, right)) / length;
}

/** Finds the longest common block, then the blocks left and right of it. */
function commonCharacters(a: readonly string[], b: readonly string[]): number {
  const places = placesOf(b);
  const spans = [{ a: 0, aEnd: a.length, b: 0, bEnd: b.length }];
  let common = 0;
  for (let span = spans.pop(); span; span = spans.pop()) {
    const block = longestBlock(a, b, places, span);
    if (block.size === 0) continue;
    common += block.size;
    spans.push({ ...span, aEnd: block.a, bEnd: block.b });
    spans.push({ ...span, a: block.a + block.size, b: block.b + block.size });
  }
  return common;
}

/** Where each character is, without the popular ones. */
function placesOf(b: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const places = groupsOf([...b.keys()], (index) => b[index] ?? '');
  const most = b.length < popularFrom ? Infinity : Math.floor(b.length / 100) + 1;
  return new Map([...places].filter(([, indices]) => indices.length <= most));
}

interface Span {
  readonly a: number;
  readonly aEnd: number;
  readonly b: number;
  readonly bEnd: number;
}

/** The first of the longest blocks, extended by popular characters around it. */
function longestBlock(
  a: readonly string[],
  b: readonly string[],
  places: ReadonlyMap<string, readonly number[]>,
  span: Span,
): { readonly a: number; readonly b: number; readonly size: number } {
  let best = { a: span.a, b: span.b, size: 0 };
  let lengths = new Map<number, number>();
  for (let i = span.a; i < span.aEnd; i += 1) {
    const next = new Map<number, number>();
    for (const j of places.get(a[i] ?? '') ?? []) {
      if (j < span.b || j >= span.bEnd) continue;
      const size = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, size);
      if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size };
    }
    lengths = next;
  }
  let { a: start, b: other, size } = best;
  while (start > span.a && other > span.b && a[start - 1] === b[other - 1]) {
    start -= 1;
    other -= 1;
    size += 1;
  }
  while (
    start + size < span.aEnd &&
    other + size < span.bEnd &&
    a[start + size] === b[other + size]
  ) {
    size += 1;
  }
  return { a: start, b: other, size };
}

/** A value that an answer must contain as `@name[value]`. */
type DabenchLabel = readonly [name: string, value: string];

const labelTolerance = 1e-6;

/** InfiAgent-DABench: the last `@name[value]` of each name has the text of the gold, or a number within a millionth of it. */
export function dabenchMatch(answer: string, gold: readonly DabenchLabel[]): ExecutionMatch {
  // DABench asks of no empty answer whether it is right.
  if (answer === '') return unmatched('The answer is empty.');
  const values = new Map(
    [...answer.matchAll(/@([\p{L}\p{N}_]+)\[([^\n]*?)\]/gu)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  );
  const wrong = [...new Map(gold)].find(([name, value]) => !valuesEqual(values.get(name), value));
  if (!wrong) return matched;
  const given = values.get(wrong[0]);
  return unmatched(`@${wrong[0]} is ${given === undefined ? 'missing' : given}, not ${wrong[1]}.`);
}

function valuesEqual(given: string | undefined, expected: string): boolean {
  if (given === undefined) return false;
  if (given === expected) return true;
  const [a, b] = [given, expected].map((text) => toFloat({ kind: 'str', value: text }));
  return typeof a === 'number' && typeof b === 'number' && Math.abs(a - b) < labelTolerance;
}
