import { expect, it } from 'vitest';
import { scored, unscored, verdictSchema } from '../../../domain/scoring/verdict.js';

it.each([
  scored(true),
  unscored('needs-judge'),
  { kind: 'scored', score: 0.5, rationale: 'half of it' },
])('survives JSON: %j', (verdict) => {
  expect(verdictSchema.parse(JSON.parse(JSON.stringify(verdict)))).toEqual(verdict);
});

it.each([{ kind: 'scored', score: 2 }, { kind: 'scored', score: NaN }, { kind: 'unscored' }])(
  'refuses %j',
  (verdict) => {
    expect(verdictSchema.safeParse(verdict).success).toBe(false);
  },
);
