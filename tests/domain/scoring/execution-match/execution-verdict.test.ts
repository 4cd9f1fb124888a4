import { describe, expect, it } from 'vitest';
import {
  needsExecution,
  scorerName,
  statementsOf,
} from '../../../../domain/scoring/execution-match/execution-options.js';
import {
  executionSchema,
  tooLarge as keptOf,
  type Executed,
  type Execution,
} from '../../../../domain/scoring/execution-match/execution.js';
import { executionVerdict } from '../../../../domain/scoring/execution-match/execution-verdict.js';

const rows = (...values: readonly (readonly (string | number | null)[])[]): Executed => ({
  kind: 'rows',
  result: {
    columns: (values[0] ?? []).map((value, index) => ({
      name: `c${index}`,
      type: typeof value === 'string' ? 'VARCHAR' : 'BIGINT',
    })),
    rows: values.map((row) => [...row]),
    more: false,
  },
});
const failed: Executed = { kind: 'failed', failure: 'binder', message: 'no column x' };
const tooLarge: Executed = { kind: 'too-large', rows: 50_000 };
/** A result that was cut after so many rows. */
const cut = (
  moreThan: number,
  ...seen: readonly (readonly (string | number | null)[])[]
): Executed => {
  const some = rows(...seen);
  return some.kind === 'rows' ? { kind: 'too-large', rows: moreThan, seen: some.result } : some;
};

const executionOf = (results: Readonly<Record<string, Executed>>): Execution => ({
  statements: Object.entries(results).map(([sql, executed]) => ({ sql, executed })),
});

const verdict = (
  options: object,
  results: Readonly<Record<string, Executed>> | null,
  answer = 'SELECT a',
) => executionVerdict(options, { kind: 'str', value: answer }, results && executionOf(results));

const gold = { gold_sql: 'SELECT g' };

describe('executionVerdict', () => {
  it.each([
    ['equal results', rows([1], [2]), rows([2], [1]), { score: 1 }],
    ['other rows', rows([1], [3]), rows([2], [1]), { score: 0 }],
    [
      'an answer whose SQL fails',
      failed,
      rows([1]),
      { score: 0, rationale: 'The SQL failed (binder): no column x' },
    ],
    [
      'a gold that fails',
      rows([1]),
      failed,
      { reason: 'gold-fails', message: 'binder: no column x' },
    ],
    ['a gold and an answer that fail', failed, failed, { reason: 'gold-fails' }],
    ['a large answer', tooLarge, rows([1]), { score: 0 }],
    [
      'a large gold',
      rows([1]),
      tooLarge,
      { reason: 'result-too-large', message: 'The result of the gold has more than 50000 rows.' },
    ],
  ])('decides on %s', (_, answer, expected, outcome) => {
    expect(verdict(gold, { 'SELECT a': answer, 'SELECT g': expected })).toMatchObject(outcome);
  });

  it('is unscored where nothing was executed, or not the gold', () => {
    expect(verdict(gold, null)).toEqual({ kind: 'unscored', reason: 'not-executed' });
    expect(verdict(gold, { 'SELECT a': rows([1]) })).toMatchObject({ reason: 'not-executed' });
  });

  it('goes by the named rule', () => {
    const results = { 'SELECT a': rows([1], [1]), 'SELECT g': rows([1]) };
    expect(verdict(gold, results)).toMatchObject({ score: 0 });
    expect(verdict({ ...gold, rule: 'bird' }, results)).toMatchObject({ score: 1 });
  });

  it('compares what a query returns as the rule runs it', () => {
    const results = {
      'SELECT DISTINCT a': rows([1]),
      'SELECT  a': rows([1], [1]),
      'SELECT g': rows([1]),
    };
    const answer = 'SELECT DISTINCT a';
    expect(verdict({ ...gold, rule: 'spider' }, results, answer)).toMatchObject({ score: 0 });
    expect(verdict({ ...gold, rule: 'multiset' }, results, answer)).toMatchObject({ score: 1 });
  });

  it('takes the SQL out of a code fence', () => {
    const results = { 'SELECT a': rows([1]), 'SELECT g': rows([1]) };
    const fenced = 'This counts them:\n```sql\nSELECT a\n```';
    expect(verdict(gold, results, fenced)).toMatchObject({ score: 1 });
  });

  it('is content with any gold, each in its own order', () => {
    const golds = { gold_sql: ['SELECT g ORDER BY 1', 'SELECT h'] };
    const results = {
      'SELECT a': rows([2], [1]),
      'SELECT g ORDER BY 1': rows([1], [2]),
      'SELECT h': rows([1], [2]),
    };
    expect(verdict(golds, results)).toMatchObject({ score: 1 });
    expect(verdict({ gold_sql: golds.gold_sql[0] }, results)).toMatchObject({ score: 0 });
  });

  it('compares with results in CSV', () => {
    const csv = { gold_csv: 'name,born\n"Bo, Jr.",1910\nAda,\n' };
    const given = (born: number | string | null) => ({
      'SELECT a': rows(['Bo, Jr.', born], ['Ada', null]),
    });
    expect(verdict(csv, given(1910))).toMatchObject({ score: 1 });
    expect(verdict(csv, given('1910'))).toMatchObject({ score: 0 });
    expect(verdict({ gold_csv: '"a\n1' }, given(1))).toMatchObject({ reason: 'gold-fails' });
  });

  it.each([
    ['dabench', [['mean', '34.65']], 'It is @mean[34.650].', 1],
    ['dabench', [['mean', '34.65']], 'It is 34.65.', 0],
    ['dabstep', 'Yes', 'yes', 1],
    ['dabstep', 'Yes', 'no', 0],
  ])('compares answers by %s, and executes nothing', (rule, right, answer, score) => {
    const evaluator = { eval_func: 'eval_execution_match', eval_kwargs: { rule, gold: right } };
    expect(statementsOf(evaluator, answer)).toBeNull();
    expect(verdict(evaluator.eval_kwargs, null, answer)).toMatchObject({ score });
  });

  it('is unscored for arguments that cannot be used', () => {
    expect(verdict({ rule: 'bird' }, null)).toMatchObject({ reason: 'invalid-evaluator' });
  });

  it('refuses an answer that is no text', () => {
    const number = { kind: 'int', value: 1n } as const;
    expect(executionVerdict(gold, number, null)).toMatchObject({ score: 0 });
  });
});

/**
 * What each rule can tell of an answer beyond the limit. `-`: it is wrong. `?`: the rule may yet call the results equal, so that
 * the answer stays unscored.
 */
describe('an answer whose result is too large', () => {
  const whole = Array.from({ length: 12_000 }, (_, at) => [at]);
  const columns = ['multiset', 'bird', 'spider', 'spider2-lite', 'spider2-dbt', 'livesql'] as const;
  it.each<[string, Executed, Executed, string]>([
    // Repeated rows count once under bird and livesql: a join may repeat the right ones.
    ['more rows, those of the gold', cut(50_000, [1], [2]), rows([1], [2]), '- ? - - - ?'],
    // The gold has a row that these lack: nobody knows what comes behind the limit.
    ['more rows, some of the gold', cut(50_000, [1]), rows([1], [2]), '- ? - - - ?'],
    [
      'more rows, one of which is not in the gold',
      cut(50_000, [1], [3]),
      rows([1], [2]),
      '- - - - - -',
    ],
    ['more rows, and none was kept', tooLarge, rows([1], [2]), '- ? - - - ?'],
    ['a gold without rows', tooLarge, rows(), '- - - ? ? -'],
    // Too many characters, before as many rows as in the gold. Under spider2 further columns are free, and may be long.
    [
      'fewer rows, one of which is not in the gold',
      cut(2, [1], [-3]),
      rows(...whole),
      '- - - ? ? -',
    ],
    ['fewer rows, all in the gold', cut(2, [1], [3]), rows(...whole), '? ? ? ? ? ?'],
    ['fewer rows, with a further column', cut(2, [1, 'x']), rows(...whole), '- - - ? ? -'],
  ])('with %s', (_, answer, expected, verdicts) => {
    const results = { 'SELECT a': answer, 'SELECT g': expected };
    const told = columns.map((rule) => {
      const found = verdict({ ...gold, rule }, results);
      return found.kind === 'scored' ? (found.score === 0 ? '-' : 'right') : '?';
    });
    expect(told.join(' ')).toBe(verdicts);
  });

  it('is wrong under livesql where the order counts and the gold has fewer rows than it reads', () => {
    const results = { 'SELECT a': cut(50_000, [1]), 'SELECT g': rows([1]) };
    expect(verdict({ ...gold, rule: 'livesql', ordered: true }, results)).toMatchObject({
      score: 0,
    });
    const both = { ...results, 'SELECT g': rows(...whole) };
    expect(verdict({ ...gold, rule: 'livesql', ordered: true }, both)).toMatchObject({
      reason: 'result-too-large',
    });
  });

  it('is wrong only if it is under every gold', () => {
    const golds = { gold_sql: ['SELECT g', 'SELECT h'], rule: 'bird' };
    const results = { 'SELECT a': cut(50_000, [1]), 'SELECT g': rows([2]) };
    expect(verdict(golds, { ...results, 'SELECT h': rows([1]) })).toMatchObject({
      reason: 'result-too-large',
    });
    expect(verdict(golds, { ...results, 'SELECT h': rows([3]) })).toMatchObject({ score: 0 });
  });

  it('is kept as its different rows, up to a bound', () => {
    const table = (count: number, cell: (at: number) => string) => ({
      columns: [{ name: 'a', type: 'VARCHAR' }],
      rows: Array.from({ length: count }, (_, at) => [cell(at)]),
      more: true,
    });
    const seen = (result: Parameters<typeof keptOf>[0]) => keptOf(result).seen?.rows;
    expect(seen(table(50_000, (at) => String(at % 3)))).toEqual([['0'], ['1'], ['2']]);
    expect(seen(table(50_000, String))).toHaveLength(1_000);
    expect(seen(table(50_000, (at) => `${at}${'x'.repeat(50_000)}`))).toHaveLength(3);
    expect(keptOf(table(7, String))).toMatchObject({ kind: 'too-large', rows: 7 });
  });
});

it('knows by the keys of a gold which of its rows tie', () => {
  const ordered = { gold_sql: 'SELECT g FROM t ORDER BY k' };
  const results = { 'SELECT a': rows([2], [1], [3]), [ordered.gold_sql]: rows([1], [2], [3]) };
  const keyed = 'SELECT g, k FROM t ORDER BY k';
  const evaluator = { eval_func: 'eval_execution_match', eval_kwargs: ordered };
  expect(statementsOf(evaluator, 'SELECT a')).toEqual(['SELECT a', ordered.gold_sql, keyed]);
  const ties = { ...results, [keyed]: rows([1, 5], [2, 5], [3, 6]) };
  expect(verdict(ordered, ties)).toMatchObject({ score: 1 });
  expect(verdict({ ...ordered, rule: 'spider' }, ties)).toMatchObject({ score: 0 });
  expect(verdict(ordered, results)).toMatchObject({ score: 0 });
});

describe('statementsOf', () => {
  const evaluator = { eval_func: 'eval_execution_match', eval_kwargs: gold };

  it('has each statement once as the rules run it', () => {
    expect(statementsOf(evaluator, '```sql\nSELECT DISTINCT a\n```')).toEqual([
      'SELECT DISTINCT a',
      'SELECT  a',
      'SELECT a',
      'SELECT g',
    ]);
    expect(statementsOf(evaluator, 'SELECT g')).toEqual(['SELECT g']);
  });

  it.each([
    ['another function', { eval_func: 'eval_string_exact_match', eval_kwargs: { gold: 'x' } }],
    ['unusable arguments', { eval_func: 'eval_execution_match', eval_kwargs: {} }],
    ['no evaluator', undefined],
  ])('is null for %s', (_, other) => {
    expect(statementsOf(other, 'SELECT a')).toBeNull();
    expect(needsExecution(other)).toBe(false);
  });

  it('names the rule with the function', () => {
    expect(scorerName(evaluator)).toBe('eval_execution_match(multiset)');
    expect(scorerName({ eval_func: 'f', eval_kwargs: {} })).toBe('f');
    expect(scorerName(undefined)).toBeNull();
  });
});

it('stores an execution as JSON', () => {
  const execution = executionOf({ a: rows([1, 'x', null]), b: failed, c: tooLarge });
  expect(executionSchema.parse(JSON.parse(JSON.stringify(execution)))).toEqual(execution);
});
