import { expect, it } from 'vitest';
import { readDataset, sampleOf } from '../../../domain/runs/dataset.js';
import { askedScore, evaluatorBy, ownScorerOf } from '../../../domain/scoring/own-scorer.js';

const line = (evaluator: object): string =>
  JSON.stringify({ uuid: 'a', question: 'Why?', evaluator });
const mine = { eval_func: 'mine', eval_kwargs: { gold: 'x', weight: 2 } };

it('a scorer of a plugin is an evaluation function only where the plugin is given', () => {
  expect(readDataset(line(mine))).toEqual({
    kind: 'problems',
    problems: ['line 1: the evaluation function mine is unknown'],
  });
  const read = readDataset(line(mine), new Set(['mine']));
  expect(read).toMatchObject({ kind: 'items', warnings: [] });
  const item = read.kind === 'items' ? read.items[0] : undefined;
  expect(item && sampleOf(item, 1)).toMatchObject({ ownScorer: true });
});

it.each([
  [{ eval_func: 'eval_program', eval_kwargs: {} }, 'eval_program lacks program'],
  [{ eval_func: 'eval_program', eval_kwargs: { program: ' ' } }, 'needs a command as its program'],
  [
    { eval_func: 'eval_negation', eval_kwargs: { eval_func: 'mine', eval_kwargs: {} } },
    'mine is no part of eval_negation',
  ],
  [
    {
      eval_func: 'eval_negation',
      eval_kwargs: { eval_func: 'eval_program', eval_kwargs: { program: 'a' } },
    },
    'eval_program is no part of',
  ],
])('refuses %j', (evaluator, problem) => {
  const read = readDataset(line(evaluator), new Set(['mine']));
  expect(read.kind === 'problems' && read.problems.join()).toContain(problem);
});

it('takes the place of an evaluator and gets its arguments', () => {
  const by = evaluatorBy({ kind: 'program', command: './mine' }, mine);
  expect(by).toEqual({
    eval_func: 'eval_program',
    eval_kwargs: { gold: 'x', weight: 2, program: './mine' },
  });
  expect(ownScorerOf(by)).toEqual({ kind: 'program', command: './mine' });
  expect(askedScore({ uuid: 'a', epoch: 2 }, { question: 'Why?' }, by, 'so')).toEqual({
    uuid: 'a',
    epoch: 2,
    question: 'Why?',
    answer: 'so',
    gold: 'x',
    options: { gold: 'x', weight: 2 },
    item: { question: 'Why?' },
  });
});
