import { expect, it } from 'vitest';
import { scoredBy } from '../../../../client/runs/scoring/score-answers.js';

const mine = { eval_func: 'mine', eval_kwargs: { gold: 'x', weight: 2 } };
const line = (evaluator: object): string =>
  JSON.stringify({ uuid: 'a', question: 'Why?', evaluator });

it('takes the place of all evaluators of a dataset, and leaves its flaws to whoever reads it', () => {
  const text = `${line(mine)}\nno JSON\n\n{"uuid":"b","question":"How?","referenceAnswer":"so"}`;
  const [first = '', ...others] = scoredBy({ kind: 'plugin', name: 'other' }, text).split('\n');
  expect(JSON.parse(first)).toMatchObject({
    evaluator: { eval_func: 'other', eval_kwargs: { gold: 'x' } },
  });
  expect(others.slice(0, 2)).toEqual(['no JSON', '']);
  expect(JSON.parse(others[2] ?? '')).toMatchObject({ evaluator: { eval_func: 'other' } });
});
