import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  dabenchMatch,
  dabstepMatch,
} from '../../../../domain/scoring/execution-match/execution-verdict.js';

const answerSchema = z.discriminatedUnion('rule', [
  z.object({
    rule: z.literal('dabstep'),
    answer: z.string(),
    gold: z.string(),
    match: z.boolean(),
  }),
  z.object({
    rule: z.literal('dabench'),
    answer: z.string(),
    gold: z.array(z.tuple([z.string(), z.string()])),
    match: z.boolean(),
  }),
]);

// What the originals said: docs/reference/execution-match.md tells how the pairs were made.
const answers = readFileSync('tests/fixtures/execution-match/answers.jsonl', 'utf8')
  .trim()
  .split('\n')
  .map((line) => answerSchema.parse(JSON.parse(line)));

it.each(answers)('judges as $rule: $answer, $gold', (pair) => {
  const judged =
    pair.rule === 'dabstep'
      ? dabstepMatch(pair.answer, pair.gold)
      : dabenchMatch(pair.answer, pair.gold);
  expect(judged.match).toBe(pair.match);
});

it.each(['dabstep', 'dabench'])('has more than 100 golden pairs of %s', (rule) => {
  const golden = answers.filter((pair) => pair.rule === rule);
  const equal = golden.filter(({ match }) => match).length;
  expect(golden.length).toBeGreaterThan(100);
  expect(Math.min(equal, golden.length - equal)).toBeGreaterThan(50);
});

describe('the reason of dabench', () => {
  it.each([
    ['@a[1]', '@b is missing, not 2.'],
    ['@a[1] @b[3]', '@b is 3, not 2.'],
    ['', 'The answer is empty.'],
  ])('of %j is %j', (answer, reason) => {
    const gold = [
      ['a', '1'],
      ['b', '2'],
    ] as const;
    expect(dabenchMatch(answer, gold)).toEqual({ match: false, reason });
  });
});
