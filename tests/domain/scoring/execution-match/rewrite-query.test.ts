import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { queryUnderRule } from '../../../../domain/scoring/execution-match/execution-rules.js';

const querySchema = z.object({ sql: z.string(), spider: z.string(), livesql: z.string() });

// What the originals run: docs/reference/execution-match.md tells how the lines were made.
const queries = readFileSync('tests/fixtures/execution-match/queries.jsonl', 'utf8')
  .trim()
  .split('\n')
  .map((line) => querySchema.parse(JSON.parse(line)));

it.each(queries)('changes queries as the originals do: $sql', ({ sql, spider, livesql }) => {
  expect(queryUnderRule('spider', sql)).toBe(spider);
  expect(queryUnderRule('livesql', sql)).toBe(livesql);
});

it.each(['multiset', 'bird', 'spider2-lite', 'spider2-dbt'] as const)(
  'changes no query under %s',
  (rule) => {
    const sql = 'SELECT DISTINCT ROUND(a, 2) FROM t -- all';
    expect(queryUnderRule(rule, sql)).toBe(sql);
  },
);
