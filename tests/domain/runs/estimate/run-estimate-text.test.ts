import { expect, it } from 'vitest';
import type { CaseEstimate } from '../../../../domain/runs/estimate/run-estimate.js';
import {
  estimateNotes,
  estimateRows,
  type EstimateToTell,
} from '../../../../domain/runs/estimate/run-estimate-text.js';
import { noCap } from '../../../../domain/budget/amount.js';

const each = (factor: number): CaseEstimate => ({
  calls: 100 * factor,
  promptTokens: 1_000_000 * factor,
  completionTokens: 20_000 * factor,
  usd: 2 * factor,
  ms: 60_000 * factor,
});

const told: EstimateToTell = {
  estimate: { low: each(1), likely: each(2), high: each(5) },
  basis: { kind: 'earlier', runs: 1, questions: 40 },
  left: 10,
  samples: 10,
  concurrency: 8,
  method: 'hybrid_react',
  model: 'a-model',
  budget: noCap,
};
const unknown = (known: CaseEstimate): CaseEstimate => ({ ...known, usd: null, ms: null });
const { low, likely, high } = told.estimate;
const untold: EstimateToTell = {
  ...told,
  basis: { kind: 'usual' },
  estimate: { low: unknown(low), likely: unknown(likely), high: unknown(high) },
};

it('has a row for what is known, and a sentence for what is not', () => {
  expect(estimateRows(told)).toEqual([
    ['', 'low', 'likely', 'high'],
    ['model calls', '100', '200', '500'],
    ['prompt tokens', '1.0M', '2.0M', '5.0M'],
    ['completion tokens', '20k', '40k', '100k'],
    ['cost', '$2.00', '$4.00', '$10.00'],
    ['time', '60 s', '2 min', '5 min'],
  ]);
  expect(estimateNotes(told, '(remedy)').join('\n')).toMatch(/40 questions of 1 earlier run/);
  expect(estimateRows(untold)).toHaveLength(4);
  expect(estimateNotes(untold, '(remedy)')).toMatchObject([
    expect.stringMatching(/no earlier run of hybrid_react with a-model/),
    'what a-model costs is not known (remedy)',
    expect.stringMatching(/how long it takes is not known/),
  ]);
});

it.each([
  [{ usd: 1.5, tokens: null }, /will not do: \$1\.50 is left .* low estimate is \$2\.00/],
  [{ usd: 3, tokens: null }, /may not do: \$3\.00 is left .* likely estimate is \$4\.00/],
  [{ usd: null, tokens: 5000 }, /will not do: 5,000 tokens is left .* 1\.0M tokens/],
  [{ usd: 4, tokens: 9_000_000 }, null],
])('says of a budget of %j whether it will do', (budget, expected) => {
  const notes = estimateNotes({ ...told, budget }, '').filter((note) => /budget/.test(note));
  expect(notes).toHaveLength(expected === null ? 0 : 1);
  if (expected !== null) expect(notes[0]).toMatch(expected);
});
