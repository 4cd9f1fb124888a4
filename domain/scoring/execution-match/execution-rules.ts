import { strip } from '../../formats/python/value.js';
import type { TableResult } from '../../agent/observations/tool-outcome.js';
import { firstRows, type TooLarge } from './execution.js';
import {
  birdMatch,
  lacksRow,
  livesqlMatch,
  multisetMatch,
  spiderMatch,
  type SeenRows,
} from './row-rules.js';
import {
  unmatched,
  type ExecutionMatch,
  type GoldComparison,
  type ResultComparison,
} from './result-comparison.js';
import { spider2DbtMatch, spider2LiteMatch } from './spider2.js';

/**
 * The rules by which benchmarks call two answers equal. `results` rules compare the results of two queries, `answers` rules two
 * texts.
 */
export const executionRules = {
  multiset: {
    compares: 'results',
    description:
      'the same rows as often, in order where the gold orders, numbers to a millionth; the default',
  },
  bird: { compares: 'results', description: 'BIRD: the same set of rows' },
  spider: {
    compares: 'results',
    description: 'Spider test suite: the same rows as often, columns in any order',
  },
  'spider2-lite': {
    compares: 'results',
    description: 'Spider 2.0-lite: each gold column equals some column, ±0.01, NULL as 0',
  },
  'spider2-dbt': {
    compares: 'results',
    description: 'Spider 2.0-DBT: each gold column equals some column, ±0.01',
  },
  livesql: {
    compares: 'results',
    description: 'LiveSQLBench: the same set of rows, rounded to two decimals; never if empty',
  },
  dabstep: { compares: 'answers', description: 'DABstep: equal as number, list or text' },
  dabench: { compares: 'answers', description: 'InfiAgent-DABench: each `@name[value]` is right' },
} as const satisfies Record<string, { compares: 'results' | 'answers'; description: string }>;

export type ExecutionRule = keyof typeof executionRules;

/** The rules that compare results of queries. */
export type ResultRule = {
  [Rule in ExecutionRule]: (typeof executionRules)[Rule]['compares'] extends 'results'
    ? Rule
    : never;
}[ExecutionRule];

const resultRules: Readonly<Record<ResultRule, (comparison: ResultComparison) => ExecutionMatch>> =
  {
    multiset: withAnyGold(multisetMatch),
    bird: withAnyGold(birdMatch),
    spider: withAnyGold(spiderMatch),
    'spider2-lite': spider2LiteMatch,
    'spider2-dbt': spider2DbtMatch,
    livesql: withAnyGold(livesqlMatch),
  };

/** Whether a rule calls the predicted result equal to one of the golds. The reason is that of the last gold. */
export function resultsMatch(rule: ResultRule, comparison: ResultComparison): ExecutionMatch {
  return resultRules[rule](comparison);
}

function withAnyGold(
  compare: (comparison: GoldComparison) => ExecutionMatch,
): (comparison: ResultComparison) => ExecutionMatch {
  return ({ golds, ...comparison }) => {
    let match = unmatched('There is no gold.');
    for (const gold of golds) {
      match = compare({ ...comparison, gold });
      if (match.match) break;
    }
    return match;
  };
}

/** What a rule can tell of a result that was not stored because it has more than so many rows, or too many characters. */
interface TooLargeRule {
  /** Whether so many rows alone make it another result. */
  readonly byNumber: (moreThan: number, gold: TableResult, ordered: boolean) => boolean;
  /** Absent where a row tells nothing: other columns are free. */
  readonly lacksRow?: (seen: SeenRows, gold: TableResult) => boolean;
}

const moreRows = (moreThan: number, gold: TableResult): boolean => moreThan >= gold.rows.length;
/** A gold without columns equals everything. */
const longerColumns = (moreThan: number, gold: TableResult): boolean =>
  gold.columns.length > 0 && moreRows(moreThan, gold);

const tooLargeRules: Readonly<Record<ResultRule, TooLargeRule>> = {
  multiset: { byNumber: moreRows, lacksRow: lacksRow.multiset },
  // Rows may repeat.
  bird: { byNumber: (_, gold) => gold.rows.length === 0, lacksRow: lacksRow.bird },
  spider: { byNumber: moreRows, lacksRow: lacksRow.spider },
  'spider2-lite': { byNumber: longerColumns },
  'spider2-dbt': { byNumber: longerColumns },
  livesql: {
    byNumber: (moreThan, { rows }, ordered) =>
      rows.length === 0 || (ordered && Math.min(moreThan + 1, firstRows) > rows.length),
    lacksRow: lacksRow.livesql,
  },
};

/** Why a result beyond the limit differs from a gold within it; null where the rule may yet call them equal. */
export function tooLargeDiffers(
  rule: ResultRule,
  { rows, seen }: TooLarge,
  gold: TableResult,
  { ordered }: { readonly ordered: boolean },
): string | null {
  const { byNumber, lacksRow: lacks } = tooLargeRules[rule];
  if (byNumber(rows, gold, ordered)) {
    return `Number of rows: more than ${rows} instead of ${gold.rows.length}.`;
  }
  return seen && lacks?.(seen, gold) ? 'A row is not in the gold.' : null;
}

const rewrites: Readonly<Partial<Record<ResultRule, (sql: string) => string>>> = {
  spider: spiderQuery,
  livesql: livesqlQuery,
};

/** A query as a rule runs it, the gold one and the predicted one: two benchmarks change queries first. */
export function queryUnderRule(rule: ResultRule, sql: string): string {
  return rewrites[rule]?.(sql) ?? sql;
}

/**
 * The query as Spider's test suite runs it: without `DISTINCT`, with `> =`, `< =` and `! =` closed up and the current year as
 * 2020. Unlike there, statements after the first one are kept.
 */
function spiderQuery(sql: string): string {
  return sql
    .replaceAll('> =', '>=')
    .replaceAll('< =', '<=')
    .replaceAll('! =', '!=')
    .replace(distinctOrText, (part) => (part.toLowerCase() === 'distinct' ? '' : part))
    .replace(/YEAR\s*\(\s*CURDATE\s*\(\s*\)\s*\)\s*/gi, '2020');
}

/** The keyword, or a text, quoted name or comment that may contain it. */
const distinctOrText =
  /'(?:''|\\'|[^'])*'|"(?:""|\\"|[^"])*"|`(?:``|[^`])*`|(?<![\w\])])\[[^\][]+\]|(?:--|# ).*|\/\*[\s\S]*?\*\/|(?<![\w$#@:?])distinct(?![\w$#])/gi;

/** The query as LiveSQLBench runs it: without comments, without each word `DISTINCT` between blanks, and without `ROUND`. */
function livesqlQuery(sql: string): string {
  const plain = strip(
    sql
      .replace(/\/\*[\s\S]*?\*\//g, '')
      .replace(/--[^\n]*?(\r\n|\r|\n)/g, '$1')
      .replace(/\n\s*\n+/g, '\n'),
  );
  const words = plain.split(' ').filter((word) => word.toLowerCase() !== 'distinct');
  return withoutRound(words.join(' '));
}

/** Replaces each call of `ROUND`, and each name that ends so, by its first argument. Brackets in texts count as brackets. */
function withoutRound(sql: string): string {
  for (let text = sql; ;) {
    const call = /ROUND\s*\(/i.exec(text);
    if (!call) return text;
    const start = call.index + call[0].length;
    const end = closingBracket(text, start);
    if (end === -1) return text;
    const argument = strip(text.slice(start, argumentEnd(text, start)));
    text = text.slice(0, call.index) + argument + text.slice(end + 1);
  }
}

/** @param start - the position after the opening bracket */
function closingBracket(text: string, start: number): number {
  let open = 1;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === '(') open += 1;
    if (text[at] === ')') open -= 1;
    if (open === 0) return at;
  }
  return -1;
}

/** The position of the first comma or closing bracket outside inner brackets. */
function argumentEnd(text: string, start: number): number {
  let open = 0;
  for (let at = start; at < text.length; at += 1) {
    if (open === 0 && (text[at] === ')' || text[at] === ',')) return at;
    if (text[at] === '(') open += 1;
    if (text[at] === ')') open -= 1;
  }
  return text.length;
}
