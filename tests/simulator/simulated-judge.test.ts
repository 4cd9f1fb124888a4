import { describe, expect, it } from 'vitest';
import type { AnswerTrace } from '../../domain/agent/database-qa/answer-trace.js';
import type { Evaluator } from '../../domain/scoring/dataset-item.js';
import { judgeMessages } from '../../domain/scoring/judging/judge-request.js';
import type { SubTask } from '../../domain/scoring/review/panel.js';
import { reviewedPart } from '../../domain/scoring/review/panel-state.js';
import {
  readReview,
  reviewMessages,
  type Review,
} from '../../domain/scoring/review/review-messages.js';
import { chatRequestSchema } from '../../simulator/chat-request.js';
import type { ScriptedReview } from '../../simulator/script.js';
import { simulatedJudgement, simulatedReview } from '../../simulator/simulated-judge.js';
import { simulatorOptionsSchema } from '../../simulator/simulator-options.js';
import { judged } from '../support/runs/judged.js';
import { exampleTrace, questionOf, withoutInteraction } from '../support/runs/reviewed.js';

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

function decision(
  subTask: SubTask,
  changes: Partial<AnswerTrace> = {},
  {
    reviews = null,
    structured = false,
    options = {},
    script = [],
  }: {
    readonly reviews?: readonly Review[] | null;
    readonly structured?: boolean;
    readonly options?: Readonly<Record<string, number>>;
    readonly script?: readonly ScriptedReview[];
  } = {},
): string | null {
  const answer = {
    question: questionOf('q1'),
    schema: 'CREATE TABLE lamps (lit BOOLEAN);',
    rows: 'lamps:\nlit\n7',
    trace: exampleTrace('q1', changes),
  };
  const request = chatRequestSchema.parse({
    model: 'a-reviewer',
    messages: reviewMessages(reviewedPart(answer, subTask), reviews, structured),
    ...(structured && { response_format: { type: 'json_schema' } }),
  });
  const text = simulatedReview(request, simulatorOptionsSchema.parse(options), script);
  if (text === undefined) throw new Error('it did not see that it is to review');
  return readReview({ text, cutOff: false }, structured)?.decision ?? null;
}

const text = (content: string) => ({ text: content, words: 0, tokens: 0 });
const review = (decided: Review['decision']): Review => ({ decision: decided, rationale: 'So.' });
const [query] = exampleTrace('q1').queries;
if (query === undefined) throw new Error('the example has a query');

describe('the simulated reviewer', () => {
  it.each<readonly [SubTask, string, Partial<AnswerTrace>, string]>([
    ['IP', 'a plan in the words of the question', {}, 'perfect'],
    ['IP', 'a plan in other words', { plan: text('Count them.') }, 'imperfect'],
    ['IP', 'an empty plan', withoutInteraction, 'imperfect'],
    ['TE', 'queries that return rows', {}, 'perfect'],
    ['TE', 'no queries', withoutInteraction, 'imperfect'],
    [
      'TE',
      'a query that fails',
      { queries: [query, { ...query, shown: 'Error: no' }] },
      'imperfect',
    ],
    ['TE', 'a query without rows', { queries: [{ ...query, shown: 'n\n(0 rows)' }] }, 'imperfect'],
    ['IS', 'an answer with figures from the results', { answer: text('7 shine.') }, 'perfect'],
    ['IS', 'an answer with another figure', { answer: text('8 shine.') }, 'imperfect'],
    ['IS', 'an answer without figures', { answer: text('Many shine.') }, 'imperfect'],
    ['IS', 'the rows', { method: 'no-interaction', answer: text('7.') }, 'perfect'],
  ])('decides %s from the data: %s', (subTask, _, changes, expected) => {
    expect(decision(subTask, changes)).toBe(expected);
    expect(decision(subTask, changes, { structured: true })).toBe(expected);
  });

  it.each([
    [['perfect', 'perfect', 'imperfect'], 'perfect'],
    [['perfect', 'imperfect', 'imperfect'], 'imperfect'],
  ] as const)('follows as meta-reviewer the majority of %j', (reviews, expected) => {
    expect(decision('IP', {}, { reviews: reviews.map(review) })).toBe(expected);
  });

  it('decides as the script has it, for all members or for one', () => {
    const entry = { question: questionOf('q1'), subTask: 'IP', rationale: 'So.' } as const;
    const all = { ...entry, decision: 'imperfect' } as const;
    const own = { ...entry, model: 'a-reviewer', decision: 'perfect' } as const;
    expect(decision('IP', {}, { script: [all] })).toBe('imperfect');
    expect(decision('IP', {}, { script: [all, own] })).toBe('perfect');
    expect(decision('TE', {}, { script: [all] })).toBe('perfect');
  });

  it('decides the opposite or unreadably as often as it is told', () => {
    expect(decision('IP', {}, { options: { judgeDisagrees: 1 } })).toBe('imperfect');
    expect(decision('IP', {}, { options: { judgeUnreadable: 1 } })).toBeNull();
  });

  it('leaves judgements to the simulated judge', () => {
    const task = { role: 'r', rule: 'r', sections: [], form: 'verdict' } as const;
    const messages = judgeMessages(task, 'an answer', 'End with True or False.');
    const request = chatRequestSchema.parse({ model: 'a-judge', messages });
    expect(simulatedReview(request, simulatorOptionsSchema.parse({}))).toBeUndefined();
  });
});
