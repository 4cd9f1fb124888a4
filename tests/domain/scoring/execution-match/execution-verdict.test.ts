import { describe, expect, it } from 'vitest';
import {
  needsExecution,
  scorerName,
  statementsOf,
} from '../../../../domain/scoring/execution-match/execution-options.js';
import { executionVerdict } from '../../../../domain/scoring/execution-match/execution-verdict.js';
import {
  executionSchema,
  type Executed,
  type Execution,
} from '../../../../domain/scoring/execution-match/execution.js';

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
    ['a large answer', tooLarge, rows([1]), { reason: 'result-too-large' }],
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
