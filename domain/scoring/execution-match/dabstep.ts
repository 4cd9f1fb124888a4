import { byCodePoint, floatText, strip } from '../../formats/python/text.js';
import { isClose, roundTo } from '../../statistics/rounding.js';
import { toFloat } from '../match-number.js';
import { matched, unmatched, type ExecutionMatch } from './result-comparison.js';
import { similarity } from './similarity.js';

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
