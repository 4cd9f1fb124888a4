import { firstIssue } from '../../formats/json.js';
import type { PythonValue } from '../../formats/python/value.js';
import { scored, unscored, type Verdict } from '../verdict.js';
import type { Cell } from '../../agent/observations/tool-outcome.js';
import { readCsv } from '../../formats/csv.js';
import { dabenchMatch, dabstepMatch } from './answer-rules.js';
import {
  answerSql,
  executionOptionsSchema,
  isResultRule,
  type ExecutionOptions,
} from './execution-options.js';
import {
  queryUnderRule,
  resultsMatch,
  tooLargeDiffers,
  type ResultRule,
} from './execution-rules.js';
import { queryOrder } from './query-order.js';
import type { Executed, Execution } from './execution.js';

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
