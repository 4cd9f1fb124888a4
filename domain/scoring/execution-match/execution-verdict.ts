import type { Cell } from '../../agent/observations/tool-outcome.js';
import { readCsv } from '../../formats/csv.js';
import { firstIssue } from '../../formats/json.js';
import { byCodePoint, floatText, strip, type PythonValue } from '../../formats/python/value.js';
import { groupsOf } from '../../statistics/means.js';
import { isClose, roundTo } from '../../statistics/rounding.js';
import { toFloat } from '../match-number.js';
import { scored, unscored, type Verdict } from '../verdict.js';
import {
  answerSql,
  executionOptionsSchema,
  isResultRule,
  type ExecutionOptions,
} from './execution-options.js';
import { type Executed, type Execution } from './execution.js';
import {
  queryUnderRule,
  resultsMatch,
  tooLargeDiffers,
  type ResultRule,
} from './execution-rules.js';
import { queryOrder } from './query-order.js';
import { matched, unmatched, type ExecutionMatch } from './result-comparison.js';

/**
 * The verdict of `eval_execution_match`. An answer whose SQL fails scores 0, and so does one whose result was too large to store,
 * where no gold's was and the rule can tell. It is unscored if a gold fails or was too large: neither says that the answer is wrong.
 * @param execution - null if nothing was executed
 */
export function executionVerdict(
  options: unknown,
  answer: PythonValue,
  execution: Execution | null,
): Verdict {
  const { data, error } = executionOptionsSchema.safeParse(options);
  if (error) return unscored('invalid-evaluator', firstIssue(error));
  if (answer.kind !== 'str') return scored(false, 'The answer is no text.');
  const { rule, gold } = data;
  if (isResultRule(rule)) return compareResults(rule, data, answer.value, execution);
  // `executionOptionsSchema` has checked what the gold is.
  const match = Array.isArray(gold)
    ? dabenchMatch(answer.value, gold)
    : dabstepMatch(answer.value, gold ?? '');
  return match.match ? scored(true) : scored(false, match.reason);
}

function compareResults(
  rule: ResultRule,
  options: ExecutionOptions,
  answer: string,
  execution: Execution | null,
): Verdict {
  const results = new Map(execution?.statements.map(({ sql, executed }) => [sql, executed]));
  const resultOf = (sql: string): Executed | undefined => results.get(queryUnderRule(rule, sql));
  const predicted = resultOf(answerSql(answer));
  const golds = [];
  for (const [sql, executed] of [
    ...options.gold_sql.map((sql) => [sql, resultOf(sql)] as const),
    ...options.gold_csv.map((text) => ['', csvResult(text)] as const),
  ]) {
    if (executed === undefined) return unscored('not-executed');
    if (executed.kind === 'too-large') return undecidable('gold', executed.rows);
    if (executed.kind === 'failed') {
      return unscored('gold-fails', `${executed.failure}: ${executed.message}`);
    }
    const keys = results.get(queryOrder(sql)?.withKeys ?? '');
    golds.push({ sql, result: executed.result, keys: keys?.kind === 'rows' ? keys.result : null });
  }
  if (predicted === undefined) return unscored('not-executed');
  if (predicted.kind === 'too-large') {
    const differences = golds.map(({ result }) =>
      tooLargeDiffers(rule, predicted, result, options),
    );
    const [difference = null] = differences;
    return differences.includes(null) || difference === null
      ? undecidable('answer', predicted.rows)
      : scored(false, difference);
  }
  if (predicted.kind === 'failed') {
    return scored(false, `The SQL failed (${predicted.failure}): ${predicted.message}`);
  }
  // Some rules look at the gold SQL, the others at all golds together.
  const groups = comparesEachGold.has(rule) ? golds.map((gold) => [gold]) : [golds];
  let reason = '';
  for (const group of groups) {
    const match = resultsMatch(rule, {
      predicted: predicted.result,
      golds: group.map(({ result }) => result),
      goldSql: group[0]?.sql ?? '',
      goldKeys: group[0]?.keys ?? null,
      ordered: options.ordered,
      ignoreOrder: options.ignore_order,
      conditionColumns: options.condition_cols,
    });
    if (match.match) return scored(true);
    reason = match.reason;
  }
  return scored(false, reason);
}

const comparesEachGold: ReadonlySet<ResultRule> = new Set(['multiset', 'spider']);

const undecidable = (whose: string, rows: number): Verdict =>
  unscored('result-too-large', `The result of the ${whose} has more than ${rows} rows.`);

/**
 * A result in CSV with a header. A column has the first type that fits all its values: BIGINT, DOUBLE or VARCHAR. An empty value is
 * NULL.
 */
export function csvResult(text: string): Executed {
  const reading = readCsv(text, ',');
  if (reading.kind === 'problem') {
    return { kind: 'failed', failure: 'csv', message: reading.problem };
  }
  const [header, ...records] = reading.records;
  const columns = (header?.cells ?? []).map((name, index) => ({
    name,
    type: typeOf(records.map(({ cells }) => cells[index] ?? '')),
  }));
  const rows = records.map(({ cells }) =>
    columns.map(({ type }, index) => cellOf(cells[index] ?? '', type)),
  );
  return { kind: 'rows', result: { columns, rows, more: false } };
}

/** Integers that surely fit 64 bits. */
const integer = /^-?\d{1,18}$/;
const float = /^-?\d+(\.\d*)?(e[+-]?\d+)?$/i;

function typeOf(values: readonly string[]): 'BIGINT' | 'DOUBLE' | 'VARCHAR' {
  const present = values.filter((value) => value !== '');
  if (present.length === 0) return 'VARCHAR';
  if (present.every((value) => integer.test(value))) return 'BIGINT';
  return present.every((value) => float.test(value)) ? 'DOUBLE' : 'VARCHAR';
}

function cellOf(value: string, type: ReturnType<typeof typeOf>): Cell {
  if (value === '') return null;
  if (type === 'VARCHAR') return value;
  const number = Number(value);
  // As in a `TableResult`.
  return type === 'BIGINT' && !Number.isSafeInteger(number) ? value : number;
}

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
