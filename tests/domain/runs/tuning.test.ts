import { describe, expect, it } from 'vitest';
import { questionWindow } from '../../../domain/runs/run-config.js';
import { emptyRun } from '../../../domain/runs/run-state.js';
import { tuned, tunedConfig, tuningProblem, type Tuning } from '../../../domain/runs/tuning.js';
import { exampleManifest } from '../../support/runs/example-manifest.js';

const now = Date.parse('2026-06-01T00:00:00Z');

describe('a tuning', () => {
  it.each<[unknown, RegExp | null]>([
    [{ concurrency: 1 }, null],
    [{ concurrency: 'auto' }, null],
    [{ budgetUsd: null, budgetTokens: 1000 }, null],
    [{ deadline: '2026-06-01T00:00:01Z' }, null],
    [{ deadline: null }, null],
    [{}, /nothing/],
    [undefined, /./],
    [{ concurrency: 0 }, /concurrency: Too small/],
    [{ concurrency: 'car' }, /concurrency: is auto, or 1 to 2000/],
    [{ concurrency: 1.5 }, /concurrency/],
    [{ budgetUsd: 0 }, /budgetUsd/],
    [{ budgetUsd: -1 }, /budgetUsd/],
    [{ budgetTokens: 0.5 }, /budgetTokens/],
    [{ deadline: 'tomorrow' }, /deadline/],
    [{ deadline: '2026-06-01T00:00:00Z' }, /2026-06-01T00:00:00Z is past/],
  ])('%j has the problem %s', (tuning, problem) => {
    const found = tuningProblem(tuning, now);
    if (problem === null) expect(found).toBeNull();
    else expect(found).toMatch(problem);
  });

  it('leaves what it does not name, and lifts what it names as null, in a run and in its configuration', () => {
    const { config } = exampleManifest();
    const all: Tuning = {
      concurrency: 7,
      budgetUsd: 2,
      budgetTokens: 9,
      deadline: '2026-06-02T00:00:00.000Z',
    };
    const state = tuned(emptyRun, all);
    expect(state).toMatchObject({
      concurrency: 7,
      ledger: { cap: { usd: 2, tokens: 9 } },
      deadline: now + 86_400_000,
    });
    expect(tunedConfig(config, all)).toMatchObject({
      concurrency: 7,
      budget: { usd: 2, tokens: 9 },
      deadline: all.deadline,
    });
    expect(tuned(state, { budgetUsd: null })).toEqual({
      ...state,
      ledger: { ...state.ledger, cap: { usd: null, tokens: 9 } },
    });
    expect(tuned(state, { deadline: null })).toEqual({ ...state, deadline: null });
    expect(tunedConfig(config, {})).toEqual(config);
  });

  it('to auto opens the window wide, and stays auto in the configuration', () => {
    const { concurrency } = tuned(emptyRun, { concurrency: 'auto' });
    expect(concurrency).toBe(questionWindow('auto'));
    const { config } = exampleManifest();
    expect(tunedConfig(config, { concurrency: 'auto' })).toMatchObject({ concurrency: 'auto' });
  });
});
