import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { fuzzMethod } from '../../../domain/scoring/match-string.js';

const caseSchema = z.object({
  a: z.string(),
  b: z.string(),
  scores: z.record(z.string(), z.number()),
});

// Computed by fuzzywuzzy 0.18.0 with python-Levenshtein 0.26.0 from seeded random texts.
const cases = readFileSync('tests/fixtures/scoring/fuzzy-measures.jsonl', 'utf8')
  .trim()
  .split('\n')
  .map((line) => caseSchema.parse(JSON.parse(line)));

it.each(cases)('measures $a against $b as fuzzywuzzy does', ({ a, b, scores }) => {
  const measured = Object.keys(scores).map((name) => [name, fuzzMethod(name, 'strict')?.(a, b)]);
  expect(Object.fromEntries(measured)).toEqual(scores);
});

it.each([
  ['strict', 50],
  ['default', 100],
] as const)('finds a contained text by partial_ratio: %s %i', (mode, score) => {
  const measure = fuzzMethod('partial_ratio', mode);
  expect(measure?.('bert', 'benchmarks this by bert find')).toBe(score);
});

it('knows no measure of another name', () => {
  expect(fuzzMethod('ratios', 'default')).toBeUndefined();
});
