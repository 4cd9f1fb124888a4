import { z } from 'zod';
import { firstIssue } from '../../formats/json.js';
import { fencedText } from '../../agent/actions/fenced-text.js';
import {
  executionRules,
  queryUnderRule,
  type ExecutionRule,
  type ResultRule,
} from './execution-rules.js';
import { queryOrder } from './query-order.js';

/** The evaluation function that compares what an answer's SQL returns with what the gold SQL returns. */
export const executionMatch = 'eval_execution_match';

// The keys of an object literal that is not empty.
export const ruleNames = Object.keys(executionRules) as [ExecutionRule, ...ExecutionRule[]];

export const isResultRule = (rule: ExecutionRule): rule is ResultRule =>
  executionRules[rule].compares === 'results';

const someTexts = z
  .union([z.string().min(1), z.array(z.string().min(1)).min(1)], {
    error: 'must be a text, or some texts',
  })
  .transform((value) => (typeof value === 'string' ? [value] : value));

/** The arguments of `eval_execution_match`. An answer is right if it matches any gold. */
export const executionOptionsSchema = z
  .strictObject({
    rule: z
      .enum(ruleNames, { error: `must be one of ${ruleNames.join(', ')}` })
      .default('multiset'),
    /** Statements that are executed on the item's database. */
    gold_sql: someTexts.default([]),
    /** Results, as CSV with a header. */
    gold_csv: someTexts.default([]),
    /** The right answer, for rules that compare answers: a text, or for `dabench` names with their values. */
    gold: z.union([z.string(), z.array(z.tuple([z.string(), z.string()])).min(1)]).optional(),
    /** Positions of the columns that count, from 0: of every gold, or a list for each. */
    condition_cols: z.union([z.array(z.int()), z.array(z.array(z.int()))]).default([]),
    ignore_order: z.boolean().default(false),
    ordered: z.boolean().default(false),
  })
  .superRefine((options, context) => {
    const lacking = lackingGold(options);
    if (lacking === null) return;
    context.addIssue({ code: 'custom', message: `${options.rule} compares with ${lacking}` });
  });
export type ExecutionOptions = Readonly<z.infer<typeof executionOptionsSchema>>;

/** The gold that a rule compares with, if the arguments lack it. */
function lackingGold({
  rule,
  gold,
  gold_sql,
  gold_csv,
}: {
  readonly rule: ExecutionRule;
  readonly gold?: unknown;
  readonly gold_sql: readonly string[];
  readonly gold_csv: readonly string[];
}): string | null {
  if (isResultRule(rule))
    return gold_sql.length + gold_csv.length > 0 ? null : 'gold_sql or gold_csv';
  if (rule === 'dabench') return Array.isArray(gold) ? null : 'gold: a list of names and values';
  return typeof gold === 'string' ? null : 'gold: a text';
}

/** Why the arguments cannot be used; null if they can. */
export function executionProblem(options: unknown): string | null {
  const parsed = executionOptionsSchema.safeParse(options);
  return parsed.success ? null : firstIssue(parsed.error);
}

interface NamedEvaluator {
  readonly eval_func: string;
  readonly eval_kwargs: Readonly<Record<string, unknown>>;
}

/** The SQL of an answer, which may stand in a code fence. */
export const answerSql = (answer: string): string => fencedText(answer, 'tolerant');

/**
 * The statements to execute before an answer can be scored under any rule: its SQL and each gold SQL, as each rule runs them, and
 * the golds with what they are ordered by. Null if the evaluator needs none.
 */
export function statementsOf(
  evaluator: NamedEvaluator | undefined,
  answer: string,
): readonly string[] | null {
  const options = optionsOf(evaluator);
  if (options === null || !isResultRule(options.rule)) return null;
  const queries = [answerSql(answer), ...options.gold_sql];
  const rules = ruleNames.filter(isResultRule);
  const keys = options.gold_sql.flatMap((sql) => queryOrder(sql)?.withKeys ?? []);
  const asRun = queries.flatMap((sql) => rules.map((rule) => queryUnderRule(rule, sql)));
  return [...new Set([...asRun, ...keys])];
}

/** The gold SQL of an item, as its rule runs it; none where it is scored otherwise. */
export function goldStatementsOf(evaluator: NamedEvaluator | undefined): readonly string[] {
  const options = optionsOf(evaluator);
  if (options === null || !isResultRule(options.rule)) return [];
  const { rule, gold_sql } = options;
  return gold_sql.map((sql) => queryUnderRule(rule, sql));
}

/** Whether something has to be executed before an answer can be scored. */
export function needsExecution(evaluator: NamedEvaluator | undefined): boolean {
  const options = optionsOf(evaluator);
  return options !== null && isResultRule(options.rule);
}

/** As `scores.jsonl` names what scored an answer: scores by different rules have different names. */
export function scorerName(evaluator: NamedEvaluator | undefined): string | null {
  if (evaluator === undefined) return null;
  if (evaluator.eval_func === 'eval_program') {
    return `eval_program(${String(evaluator.eval_kwargs['program'])})`;
  }
  const rule = optionsOf(evaluator)?.rule;
  return rule === undefined ? evaluator.eval_func : `${evaluator.eval_func}(${rule})`;
}

/** Null for other functions, and for arguments that cannot be used. */
export function optionsOf(evaluator: NamedEvaluator | undefined): ExecutionOptions | null {
  if (evaluator?.eval_func !== executionMatch) return null;
  return executionOptionsSchema.safeParse(evaluator.eval_kwargs).data ?? null;
}
