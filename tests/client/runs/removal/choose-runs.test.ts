import { describe, expect, it } from 'vitest';
import { chooseRuns } from '../../../../client/runs/removal/remove-runs.js';
import { runIdSchema } from '../../../../domain/ids.js';

const known = ['exp-1', 'exp-2', 'exp-10', 'Exp.1', 'baseline'].map((name) =>
  runIdSchema.parse(name),
);

describe('the runs that are meant', () => {
  it.each([
    [['exp-1'], ['exp-1']],
    [['exp-*'], ['exp-1', 'exp-2', 'exp-10']],
    [['exp-?'], ['exp-1', 'exp-2']],
    [
      ['exp-2', '*-2', 'baseline'],
      ['exp-2', 'baseline'],
    ],
    [['E*.1'], ['Exp.1']],
    [['*'], known],
  ])('by %j are %j', (names, runs) => {
    expect(chooseRuns(names, known)).toEqual(runs);
  });

  it.each([
    ['exp-3', 'there is no run exp-3 (did you mean exp-1 or exp-2?)'],
    [
      'baselin',
      'there is no run baselin (did you mean baseline?); `turnwise runs` lists those there are',
    ],
    ['zzz', 'there is no run zzz; `turnwise runs` lists those there are'],
    ['exp.*', 'no run matches exp.*;'],
    ['zz*', 'no run matches zz*; `turnwise runs` lists those there are'],
    ['../x', 'there is no run "../x"; `turnwise runs` lists those there are'],
  ])('are none by %s', (name, message) => {
    expect(() => chooseRuns(['exp-1', name], known)).toThrow(message);
  });
});
