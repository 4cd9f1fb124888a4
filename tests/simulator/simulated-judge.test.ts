import { describe, expect, it } from 'vitest';
import { chatRequestSchema } from '../../simulator/chat-request.js';
import { simulatedJudgement } from '../../simulator/simulated-judge.js';
import { simulatorOptionsSchema } from '../../simulator/simulator-options.js';
import type { Evaluator } from '../../domain/scoring/dataset-item.js';
import { judged } from '../support/runs/judged.js';

type Kwargs = Evaluator['eval_kwargs'];

function verdict(
  name: string,
  kwargs: Kwargs,
  answer: string,
  {
    structured = false,
    mode = 'default',
    options = {},
  }: {
    readonly structured?: boolean;
    readonly mode?: 'default' | 'strict';
    readonly options?: Readonly<Record<string, number>>;
  } = {},
): number | string {
  const { verdict: found } = judged(
    { eval_func: `eval_${name}`, eval_kwargs: { question: 'Which?', ...kwargs } },
    answer,
    ({ messages, structured: form }) => {
      const request = chatRequestSchema.parse({
        model: 'a-judge',
        messages,
        ...(form && { response_format: { type: 'json_schema' } }),
      });
      const text = simulatedJudgement(request, simulatorOptionsSchema.parse(options));
      if (text === undefined) throw new Error('it did not see that it is to judge');
      return text;
    },
    { mode, structured },
  );
  return found.kind === 'scored' ? found.score : found.reason;
}

const points = { scoring_points: ['it is blue', 'it is round', 'it is old'] };

describe('the simulated judge', () => {
  it.each<readonly [string, Kwargs, string, number]>([
    ['reference_answer_with_llm', { reference_answer: 'The blue one.' }, 'the BLUE one', 1],
    ['reference_answer_with_llm', { reference_answer: 'The blue one.' }, 'the red one', 0],
    ['candidate_reference_answer_with_llm', { candidate_reference_answers: ['a', 'b'] }, 'b', 1],
    ['candidate_reference_answer_with_llm', { candidate_reference_answers: ['a', 'b'] }, 'c', 0],
    ['scoring_points_with_llm', points, 'it is blue, it is round and it is old', 1],
    ['scoring_points_with_llm', points, 'it is blue, it is round', 0],
    ['partial_scoring_points_with_llm', { ...points, count: 2 }, 'it is blue, it is round', 1],
    ['partial_scoring_points_with_llm', { ...points, count: 2 }, 'it is blue', 0],
    ['complex_math_formula_with_llm', { formulas: ['a + b', 'c'] }, 'c, or a+b', 1],
    ['m3sciqa', { reference_answer: 'the blue one' }, 'the blue one', 1],
    ['m3sciqa', { reference_answer: 'the blue one' }, 'the red one', 0.5],
    ['m3sciqa', { reference_answer: 'the blue one' }, 'none', 0],
    ['scidqa', { reference_answer: 'A: the blue one' }, 'the blue one', 1],
    ['scidqa', { reference_answer: 'A: the blue one' }, 'none', 0.1],
  ])('compares words: %s %j of %j is %d', (name, kwargs, answer, expected) => {
    expect(verdict(name, kwargs, answer)).toBe(expected);
    expect(verdict(name, kwargs, answer, { structured: true })).toBe(expected);
    expect(verdict(name, kwargs, answer, { mode: 'strict' })).toBe(expected);
  });

  it('gives the opposite or an unreadable verdict for the configured share, always for the same answers', () => {
    const answers = Array.from({ length: 400 }, (_, index) => `the blue one ${index}`);
    const scores = (options: Readonly<Record<string, number>>): readonly (number | string)[] =>
      answers.map((answer) =>
        verdict('reference_answer_with_llm', { reference_answer: 'the blue one' }, answer, {
          options,
        }),
      );
    const share = (options: Readonly<Record<string, number>>, of: number | string): number =>
      scores(options).filter((score) => score === of).length / answers.length;
    expect(share({ judgeDisagrees: 0.2 }, 0)).toBeCloseTo(0.2, 1);
    expect(share({ judgeUnreadable: 0.05 }, 'judge-unreadable')).toBeCloseTo(0.05, 1);
    expect(scores({ judgeDisagrees: 0.2 })).toEqual(scores({ judgeDisagrees: 0.2 }));
    expect(scores({ judgeDisagrees: 0.2 })).not.toEqual(scores({ judgeDisagrees: 0.2, seed: 2 }));
  });

  it('does not judge the request of an agent', () => {
    const request = chatRequestSchema.parse({
      model: 'a-model',
      messages: [{ role: 'user', content: '[Question]: Why?\n[Answer Format]: any' }],
    });
    expect(simulatedJudgement(request, simulatorOptionsSchema.parse({}))).toBeUndefined();
  });
});
