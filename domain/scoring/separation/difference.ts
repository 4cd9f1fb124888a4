import { preview } from '../../formats/text.js';
import { goldFaults, goldToCheck, type GoldToCheck } from '../execution-match/check-gold.js';
import { answerSql, executionMatch } from '../execution-match/execution-options.js';
import { type Executed, type Execution, type Match } from '../execution-match/execution.js';
import { queryUnderRule } from '../execution-match/execution-rules.js';
import { executionVerdict } from '../execution-match/execution-verdict.js';

/** An answer by SQL with all that is executed on each copy. */
export interface MatchToSeparate {
  readonly match: Match;
  readonly gold: GoldToCheck;
  readonly golds: readonly string[];
  /** Of the answer, then those of `goldToCheck`. */
  readonly statements: readonly string[];
}

/** Null where no gold is SQL. */
export function matchToSeparate(match: Match): MatchToSeparate | null {
  const gold = goldToCheck({ eval_func: executionMatch, eval_kwargs: match.options });
  if (gold === null || gold.options.gold_sql.length === 0) return null;
  const golds = gold.options.gold_sql.map((sql) => queryUnderRule(gold.rule, sql));
  const answer = queryUnderRule(gold.rule, answerSql(match.answer));
  return { match, gold, golds, statements: [answer, ...gold.statements] };
}

/** Stands for SQL that returns what a gold has returned before. */
const earlier = 'SELECT * FROM earlier';

/**
 * How the results of a copy differ; null where they do not in some order of its rows, or that says nothing: a gold fails or
 * returns something else in another order, as it may where rows tie; both find nothing, one as no row and the other as NULL or 0;
 * the SQL of the answer fails, unless by several rows in the place of a value.
 * @param orders - what the statements returned, with the same rows in each order
 */
export function differenceOf(
  { match, gold, golds, statements }: MatchToSeparate,
  orders: readonly (readonly Executed[])[],
): string | null {
  const matches = (options: unknown, value: string, execution: Execution): boolean | null => {
    const verdict = executionVerdict(options, { kind: 'str', value }, execution);
    return verdict.kind === 'scored' ? verdict.score === 1 : null;
  };
  const executions = orders.map((executed) =>
    executed.map((each, at) => ({ sql: statements[at] ?? '', executed: rounded(each) })),
  );
  const ofGolds = executions.map((all) => all.filter(({ sql }) => golds.includes(sql)));
  const differs = executions.every((all, order) => {
    const [answer, ...others] = all;
    if (answer?.executed.kind === 'failed' && !severalRows.test(answer.executed.message))
      return false;
    if (matches(match.options, match.answer, { statements: all }) !== false) return false;
    const own = ofGolds[order] ?? [];
    if ([answer, ...own].every((each) => isNothing(each?.executed))) return false;
    const faults = goldFaults(gold, { statements: others });
    if (faults.some(({ check }) => check !== 'gold-empty')) return false;
    return own.every(({ sql, executed }) => {
      const first = ofGolds[0]?.find((each) => each.sql === sql);
      const again = [...own, { sql: earlier, executed: first?.executed ?? executed }];
      const options = { ...match.options, gold_sql: sql };
      return isNothing(executed) || matches(options, earlier, { statements: again }) === true;
    });
  });
  if (!differs) return null;
  return `the gold returns ${resultText(ofGolds[0]?.[0]?.executed)}, the answer ${resultText(executions[0]?.[0]?.executed)}`;
}

const severalRows = /more than one row/i;

/** Sums of floats in another order differ in their last digits. */
function rounded(executed: Executed): Executed {
  if (executed.kind !== 'rows') return executed;
  const rows = executed.result.rows.map((row) =>
    row.map((cell) =>
      typeof cell === 'number' && !Number.isInteger(cell) ? Number(cell.toPrecision(9)) : cell,
    ),
  );
  return { ...executed, result: { ...executed.result, rows } };
}

const isNothing = (executed: Executed | undefined): boolean =>
  executed?.kind === 'rows' &&
  executed.result.rows.flat().every((cell) => cell === null || cell === 0);

const resultText = (executed: Executed | undefined): string =>
  executed?.kind === 'rows'
    ? `${executed.result.rows.length} rows ${preview(JSON.stringify(executed.result.rows), 100)}`
    : preview(executed?.kind === 'failed' ? executed.message : 'too much', 100);
