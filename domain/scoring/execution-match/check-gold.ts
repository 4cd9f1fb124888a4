import type { TableResult } from '../../agent/observations/tool-outcome.js';
import { exactJson } from '../../formats/json.js';
import type { Evaluator } from '../dataset-item.js';
import { isResultRule, optionsOf, type ExecutionOptions } from './execution-options.js';
import { type Executed, type Execution, type Match } from './execution.js';
import { queryUnderRule, type ResultRule } from './execution-rules.js';
import { csvResult, executionVerdict } from './execution-verdict.js';
import {
  innerQueries,
  ordersResult,
  queryOrder,
  withoutNulls,
  withoutTexts,
  type QueryOrder,
} from './query-order.js';
import { goldOrder, multisetMatch, orderKeys, rowsTie } from './row-rules.js';

/** A query that answers no question. */
const nonsense = "SELECT 'umbrella trombone quartz' AS a";
/** Stands for the SQL of an answer that returns what a gold in CSV holds. */
const copyOfCsv = 'SELECT * FROM gold';

/** The gold queries of an evaluator and what of them is executed to check them. */
export interface GoldToCheck {
  readonly rule: ResultRule;
  readonly options: ExecutionOptions;
  /** `options` as the item has them. */
  readonly given: Evaluator['eval_kwargs'];
  /** Statements in order; the gold queries stand at the end once more, to be executed twice. */
  readonly statements: readonly string[];
  /** How many are the same as before. */
  readonly again: number;
}

/** Null where the rule compares no results. */
export function goldToCheck(evaluator: Evaluator | undefined): GoldToCheck | null {
  const options = optionsOf(evaluator);
  if (!evaluator || !options || !isResultRule(options.rule)) return null;
  const { rule } = options;
  const golds = options.gold_sql.map((sql) => queryUnderRule(rule, sql));
  const probes = golds.flatMap((sql) => [
    ...[queryOrder(sql)?.withKeys ?? []].flat(),
    ...limitedQueries(sql).map(({ probe }) => probe),
    ...[withoutNulls(sql) ?? []].flat(),
  ]);
  const once = [...new Set([...golds, ...probes, queryUnderRule(rule, nonsense)])];
  const statements = [...once, ...golds];
  return { rule, options, given: evaluator.eval_kwargs, statements, again: golds.length };
}

/**
 * The first gold query that reads what may hold NULL, with itself without those NULLs as an answer that matches it. Where copies of the
 * database tell the two apart, rows that meet no condition change what the gold returns. Null where no NULL matters.
 */
export function goldBesideNulls({ rule, options, given }: GoldToCheck, seed: string): Match | null {
  for (const sql of options.gold_sql) {
    const answer = withoutNulls(queryUnderRule(rule, sql));
    if (answer === null) continue;
    const own = exactJson({ ...given, rule, gold_sql: sql });
    return { seed, options: JSON.parse(own) as Match['options'], answer };
  }
  return null;
}

/** The query, or one in its brackets, that keeps some of its rows, and what returns one more. */
function limitedQueries(
  sql: string,
): readonly { readonly order: QueryOrder; readonly rows: number; readonly probe: string }[] {
  return [sql, ...innerQueries(sql)].flatMap((query) => {
    const order = queryOrder(query);
    const rows = (order?.limit?.offset ?? 0) + (order?.limit?.count ?? Infinity);
    if (!order || !Number.isFinite(rows)) return [];
    return [{ order, rows, probe: order.withLimit(rows + 1) }];
  });
}

/** @param results - of the statements, in their order */
export function goldFaults(gold: GoldToCheck, { statements: all }: Execution): readonly Fault[] {
  const { rule, options, again } = gold;
  const statements = all.slice(0, all.length - again);
  const results = new Map(statements.map(({ sql, executed }) => [sql, executed]));
  const faults = options.gold_sql.flatMap((query, index) => {
    const sql = queryUnderRule(rule, query);
    const second = all[statements.length + index]?.executed;
    return queryFaults(sql, { rule, options, executed: results.get(sql), second, results });
  });
  return faults.some(({ check }) => check === 'gold-fails')
    ? faults
    : [...verdictFaults(gold, statements), ...faults];
}

/** Whether the gold scores 1 and nonsense 0. */
function verdictFaults(
  { rule, options, given }: GoldToCheck,
  executed: Execution['statements'],
): readonly Fault[] {
  const [csv] = options.gold_csv;
  const copy = { sql: queryUnderRule(rule, copyOfCsv), executed: csvResult(csv ?? '') };
  if (csv !== undefined && rowsOf(copy.executed)?.rows.length === 0) {
    return [{ check: 'gold-empty', reason: 'gold_csv has no rows' }];
  }
  const statements = csv === undefined ? executed : [...executed, copy];
  const verdictOn = (answer: string) =>
    executionVerdict(given, { kind: 'str', value: answer }, { statements });
  const [gold, other] = [verdictOn(options.gold_sql[0] ?? copyOfCsv), verdictOn(nonsense)];
  const faults: Fault[] = [];
  if (gold.kind === 'unscored') {
    faults.push({ check: 'gold-fails', reason: gold.message ?? gold.reason });
  } else if (gold.score !== 1) {
    const reason = `the gold itself scores 0 under ${rule}: ${gold.rationale ?? ''}`;
    faults.push({ check: 'gold-scores', reason });
  }
  if (other.kind === 'scored' && other.score > 0) {
    faults.push({ check: 'cannot-fail', reason: `nonsense scores: ${nonsense}` });
  }
  return faults;
}

interface ExecutedGold {
  readonly rule: ResultRule;
  readonly options: ExecutionOptions;
  readonly executed: Executed | undefined;
  /** What the same statement returned once more. */
  readonly second: Executed | undefined;
  readonly results: ReadonlyMap<string, Executed>;
}

function queryFaults(sql: string, gold: ExecutedGold): readonly Fault[] {
  const { rule, options, executed, second, results } = gold;
  if (executed?.kind !== 'rows') {
    const reason =
      executed?.kind === 'failed'
        ? `its SQL fails (${executed.failure}): ${executed.message}`
        : `its SQL returns more than ${executed?.rows ?? 0} rows, with which nothing is compared`;
    return [{ check: 'gold-fails', reason }];
  }
  const { result } = executed;
  const moving = movingPart(sql);
  if (moving !== null) {
    return [{ check: 'gold-varies', reason: `its SQL depends on when it runs: ${moving}` }];
  }
  if (result.rows.flat().every((cell) => cell === null)) {
    const reason =
      result.rows.length === 0 ? 'its SQL returns no rows' : 'its SQL returns only NULL';
    return [{ check: 'gold-empty', reason }];
  }
  const limit = limitFault(sql, results);
  if (limit !== null) return [{ check: 'gold-limit', reason: limit }];
  const isSame =
    second?.kind === 'rows' &&
    multisetMatch({ predicted: second.result, gold: result, goldSql: '' }).match;
  if (!isSame)
    return [{ check: 'gold-varies', reason: 'its SQL returned something else when it ran again' }];
  const order = orderCounts(rule, options, sql) ? orderFault(sql, result, results) : null;
  return order === null ? [] : [{ check: 'gold-order', reason: order }];
}

/** What a query reads that is no data: the time, or chance. */
function movingPart(sql: string): string | null {
  const found =
    /\b(?:random|rand|randomblob|setseed|uuid(?:v\d)?|gen_random_uuid|newid|now|today|getdate|sysdate|curdate|curtime|get_current_(?:date|time|timestamp)|transaction_timestamp)\s*\(|\b(?:current_date|current_time|current_timestamp|localtime|localtimestamp)\b|\b(?:tablesample|using\s+sample)\b|\b(?:date|time|datetime|julianday|unixepoch)\s*\(\s*\)|\bage\s*\([^,()]*\)/i.exec(
      withoutTexts(sql),
    ) ??
    /\b(?:date|time|datetime|julianday|unixepoch|strftime|timediff)\s*\([^)]*'now'|'(?:now|today)'\s*::/i.exec(
      sql,
    );
  return found && found[0].replace(/\s+/g, ' ');
}

function orderCounts(rule: ResultRule, options: ExecutionOptions, sql: string): boolean {
  switch (rule) {
    case 'multiset':
      return ordersResult(sql);
    case 'spider':
      return sql.toLowerCase().includes('order by');
    case 'spider2-lite':
    case 'spider2-dbt':
      return !options.ignore_order;
    case 'livesql':
      return options.ordered;
    case 'bird':
      return false;
  }
}

const differ = (a: unknown, b: unknown): boolean => JSON.stringify(a) !== JSON.stringify(b);

const rowsOf = (executed: Executed | undefined): TableResult | null =>
  executed?.kind === 'rows' ? executed.result : null;

/** Why the order of a gold's rows is not fixed, though it counts; null where it is, or where its keys cannot be seen. */
function orderFault(
  sql: string,
  result: TableResult,
  results: ReadonlyMap<string, Executed>,
): string | null {
  const { rows } = result;
  if (!ordersResult(sql)) {
    return rows.some((row) => differ(row, rows[0]))
      ? 'the order of its rows counts, and its SQL has no ORDER BY'
      : null;
  }
  const keys = goldOrder(sql, result, rowsOf(results.get(queryOrder(sql)?.withKeys ?? '')));
  const tie = rows.findIndex(
    (row, at) => keys && at > 0 && rowsTie(keys, at) && differ(row, rows[at - 1]),
  );
  return tie === -1
    ? null
    : `rows ${tie} and ${tie + 1} tie in its ORDER BY: a further key tells them apart`;
}

/** Why a LIMIT keeps some of several rows that may all be meant. */
function limitFault(sql: string, results: ReadonlyMap<string, Executed>): string | null {
  for (const { order, rows: last, probe } of limitedQueries(sql)) {
    const result = rowsOf(results.get(probe));
    const keys = result && orderKeys(order, result);
    if (!keys) continue;
    const shown = result.rows.map((row) => row.slice(0, row.length - order.added));
    // A gold that keeps all rows cuts none off.
    const cuts = [order.limit?.offset ?? 0, last].filter((at) => at > 0 && at < shown.length);
    if (!cuts.some((at) => rowsTie(keys, at) && differ(shown[at - 1], shown[at]))) continue;
    return order.keys?.length === 0
      ? `a LIMIT of ${last} without an ORDER BY keeps any of its rows`
      : `a LIMIT cuts between rows that tie in its ORDER BY`;
  }
  return null;
}

/** What `turnwise dataset check` looks for, in the order in which it is shown. */
export const datasetChecks = {
  item: 'the line is a question whose scorer can be used, and does what its author meant',
  'no-scorer': 'something scores the answers, where it does for other questions',
  'empty-gold': 'there is a right answer',
  'cannot-fail': 'an empty answer, a refusal, nonsense and a wrong answer score 0',
  'gold-scores': 'the right answer scores 1',
  'gold-fails': 'the gold SQL runs, within the limits of a result',
  'gold-varies': 'the gold SQL returns the same whenever it runs',
  'gold-empty': 'the gold SQL returns a value',
  'gold-order': 'the gold SQL orders all rows, where their order counts',
  'gold-limit': 'no LIMIT of the gold SQL chooses among rows that tie',
  'gold-unstable':
    'rows of NULL, which meet no condition, change nothing in what the gold SQL returns',
  'gold-absent': 'the store holds the words of the gold',
  'near-duplicate': 'no other question asks the same',
  'anchor-missing': 'the store holds the papers that the question names',
} as const;
export type DatasetCheck = keyof typeof datasetChecks;

/** `reason` is one sentence, without a full stop. */
export interface Fault {
  readonly check: DatasetCheck;
  readonly reason: string;
}
