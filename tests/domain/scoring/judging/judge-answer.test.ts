import { describe, expect, it } from 'vitest';
import { judgedTasks } from '../../../../domain/scoring/judging/judge-part.js';
import type { JudgeQuestion } from '../../../../domain/scoring/judging/judge-request.js';
import type { Evaluator } from '../../../../domain/scoring/dataset-item.js';
import { signatures } from '../../../../domain/scoring/scorer-options.js';
import { scored, unscored, type Verdict } from '../../../../domain/scoring/verdict.js';
import { contentText } from '../../../../domain/models/chat-message.js';
import { judged, lastText, saysFalse, saysTrue } from '../../../support/runs/judged.js';

type Kwargs = Evaluator['eval_kwargs'];

const evaluator = (name: string, eval_kwargs: Kwargs): Evaluator => ({
  eval_func: `eval_${name}`,
  eval_kwargs,
});
const reference = (text: string): Kwargs => ({ question: 'Which?', reference_answer: text });
const oneCall = evaluator('reference_answer_with_llm', reference('the blue one'));
const scoreOf = (verdict: Verdict): number | string =>
  verdict.kind === 'scored' ? verdict.score : verdict.reason;
const never = (): string => {
  throw new Error('no judge was to be asked');
};

/** Every judged function with options that make sense, and what its prompt must say of them. */
const functions: readonly (readonly [string, Kwargs, readonly string[]])[] = [
  ['reference_answer_with_llm', reference('the blue one'), ['the blue one']],
  [
    'candidate_reference_answer_with_llm',
    { question: 'Which?', candidate_reference_answers: [' azure ', 'blue'] },
    ['at least one of the 2', 'reference answer 1', 'reference answer 2', '\nazure\n'],
  ],
  [
    'scoring_points_with_llm',
    { question: 'Which?', scoring_points: ['is blue', 'is round'] },
    ['all of the 2 points', '- is blue\n- is round', 'order does not matter'],
  ],
  [
    'partial_scoring_points_with_llm',
    { question: 'Which?', scoring_points: ['is blue', 'is round', 'is old'], count: 2 },
    ['at least 2 of the 3', '- is old', 'points, 2 required'],
  ],
  [
    'reference_answer_and_scoring_points_with_llm',
    { ...reference('the blue one'), scoring_points: ['is blue'] },
    ['the blue one', '- is blue', 'and also mentions all of the 1'],
  ],
  [
    'complex_math_formula_with_llm',
    { question: 'Which?', formulas: String.raw`\frac{a}{b}` },
    [String.raw`\frac{a}{b}`, 'symbolic mathematics', 'component by component'],
  ],
  [
    'complex_math_formula_with_llm',
    { question: 'Which?', formulas: ['a', 'b'], ignore_order: false },
    ['- a\n- b', 'in the order given'],
  ],
  ['m3sciqa', reference('the blue one'), ['the blue one', '0.5', 'selection']],
  ['scidqa', reference('A: the blue one'), ['\nthe blue one\n', 'conciseness', 'from 1 to 10']],
  ['long_form_match', reference('the blue one'), ['\nthe blue one\n', 'Verdict: not match']],
  ['long_form_grade', reference('the blue one'), ['\nthe blue one\n', '5: it says', 'Score: ']],
];

describe('a judged function', () => {
  it('has a task for each name there is', () => {
    const names = [...signatures].filter(([, { judged: is }]) => is).map(([name]) => name);
    expect([...judgedTasks.keys()]).toEqual(names);
    expect(new Set(functions.map(([name]) => `eval_${name}`))).toEqual(new Set(names));
  });

  it.each(functions)('shows its judge what it is about: %s %j', (name, kwargs, parts) => {
    const asked: JudgeQuestion[] = [];
    judged(evaluator(name, kwargs), 'a round one', (question) => {
      asked.push(question);
      return '';
    });
    const [question] = asked;
    const text = question?.messages.map(({ content }) => contentText(content)).join('\n') ?? '';
    for (const part of [...parts, 'Which?', 'a round one']) expect(text).toContain(part);
  });

  it.each<readonly [string, Kwargs]>([
    ['reference_answer_with_llm', { reference_answer: 'a' }],
    ['scoring_points_with_llm', { question: 'q', scoring_points: 'a' }],
    ['scoring_points_with_llm', { question: 'q', scoring_points: [1] }],
    ['partial_scoring_points_with_llm', { question: 'q', scoring_points: ['a'], count: 2 }],
    ['partial_scoring_points_with_llm', { question: 'q', scoring_points: ['a'], count: 0 }],
    ['complex_math_formula_with_llm', { question: 'q', fomulas: 'a' }],
    ['scidqa', { question: 'q', reference: 'a' }],
  ])('asks nobody where its options make no sense: %s %j', (name, kwargs) => {
    expect(judged(evaluator(name, kwargs), 'x', never).verdict).toMatchObject(
      unscored('invalid-evaluator'),
    );
  });

  it('takes the reasons of its judge over', () => {
    expect(judged(oneCall, 'the azure one', () => saysTrue).verdict).toEqual(
      scored(true, 'They agree.'),
    );
    expect(judged(oneCall, 'the red one', () => saysFalse).verdict).toEqual(
      scored(false, 'They differ.'),
    );
  });

  it('asks nobody about an answer that is empty, or an error', () => {
    expect(judged(oneCall, ' \n', never).verdict).toEqual(scored(false, 'the answer is empty'));
    expect(judged(oneCall, '[ERROR]: lost', never).verdict).toEqual(scored(false));
  });

  it('has a provider that can hold the judge to a schema', () => {
    const reply = JSON.stringify({ reasoning: 'same', verdict: true });
    const { verdict, questions } = judged(oneCall, 'azure', () => reply, { structured: true });
    expect(verdict).toEqual(scored(true, 'same'));
    expect(questions.map(({ structured }) => structured)).toEqual(['verdict']);
  });

  it('counts grades in tenths and keeps them', () => {
    const report = 'Evaluation:\n1. Relevance: 8 - so\nOverall Quality Score: 7.5';
    const { verdict } = judged(evaluator('scidqa', reference('A: blue')), 'azure', () => report);
    expect(verdict).toMatchObject({ kind: 'scored', score: 0.75, rawScore: 7.5 });
  });
});

describe('a reply that cannot be read', () => {
  it('is asked for again, by another request, and leaves the answer unscored in the end', () => {
    const { verdict, questions } = judged(oneCall, 'azure', () => 'I like it.');
    expect(verdict).toEqual(unscored('judge-unreadable'));
    expect(questions.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(new Set(questions.map(({ messages }) => JSON.stringify(messages))).size).toBe(2);
    expect(questions[1]?.messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
    ]);
  });

  it('does no harm where a later one can', () => {
    const replies = ['I like it.', saysFalse];
    const { verdict, questions } = judged(oneCall, 'azure', () => replies.shift() ?? '');
    expect([verdict, questions.length]).toEqual([scored(false, 'They differ.'), 2]);
  });

  it('is what a number off the scale is', () => {
    const m3 = evaluator('m3sciqa', reference('blue'));
    expect(judged(m3, 'azure', () => '{"selection": "7"}').verdict).toEqual(
      unscored('judge-unreadable'),
    );
  });
});

describe('in strict mode', () => {
  const strictly = (name: string, replies: string[], kwargs: Kwargs = reference('blue')) =>
    judged(evaluator(name, kwargs), 'azure', () => replies.shift() ?? never(), { mode: 'strict' });

  it.each<readonly [string, string[], number | string, number]>([
    ['reference_answer_with_llm', [saysTrue], 1, 1],
    ['reference_answer_with_llm', ['I like it.'], 0, 1],
    ['m3sciqa', ['I select {"selection": "0.5"} here'], 0.5, 1],
    ['m3sciqa', ['I like it.'], 0, 1],
    ['m3sciqa', ['{"selection": "2"}'], 'judge-unreadable', 1],
    ['scidqa', ['a report', '7.25'], 0.725, 2],
    ['scidqa', ['a report', '8/10'], 0, 2],
    ['scidqa', ['a report', '11'], 'judge-unreadable', 2],
  ])('%s of %j is %s after %i calls', (name, replies, expected, calls) => {
    const { verdict, questions } = strictly(name, [...replies]);
    expect([scoreOf(verdict), questions.length]).toEqual([expected, calls]);
  });

  it('hands the report of grades to a second call, which sees nothing else', () => {
    const { questions } = strictly('scidqa', ['the report', '7']);
    expect(questions[1]?.messages).toHaveLength(1);
    expect(questions[1] && lastText(questions[1])).toMatch(/\n\nthe report$/);
    expect(questions.map(({ sampling }) => sampling?.topP)).toEqual([0.9, 0.9]);
  });
});

describe('logical functions', () => {
  type Part = readonly [string, Kwargs];
  const all = (name: string, ...parts: readonly Part[]): Evaluator =>
    evaluator(name, {
      eval_func_list: parts.map(([part]) => `eval_${part}`),
      eval_kwargs_list: parts.map(([, kwargs]) => ({ ...kwargs })),
    });
  const judgedPart = (text: string): Part => ['reference_answer_with_llm', reference(text)];
  const number = (gold: number): Part => ['int_exact_match', { gold }];
  /** A judge who knows the right references. */
  const knowing =
    (...right: readonly string[]) =>
    (question: JudgeQuestion): string =>
      right.some((text) => lastText(question).includes(`\n${text}\n`)) ? saysTrue : saysFalse;
  const ask = (of: Evaluator, answer: string, ...right: readonly string[]) => {
    const { verdict, questions } = judged(of, answer, knowing(...right));
    return [scoreOf(verdict), questions.map(({ part }) => part)];
  };

  it('asks about a part only where it still matters', () => {
    const both = all('conjunction', judgedPart('blue'), judgedPart('round'), number(3));
    expect(ask(both, "['a', 'b', 4]")).toEqual([0, []]);
    expect(ask(both, "['a', 'b']")).toEqual([0, []]);
    expect(ask(both, "['a', 'b', 3]")).toEqual([0, ['0.0']]);
    expect(ask(both, "['a', 'b', 3]", 'blue')).toEqual([0, ['0.0', '0.1']]);
    expect(ask(both, "['a', 'b', 3]", 'blue', 'round')).toEqual([1, ['0.0', '0.1']]);
    const either = all('disjunction', judgedPart('blue'), judgedPart('round'), number(3));
    expect(ask(either, "['a', 'b', 3]")).toEqual([1, []]);
    expect(ask(either, "['a', 'b', 4]", 'blue')).toEqual([1, ['0.0']]);
    expect(ask(either, "['a', 'b', 4]")).toEqual([0, ['0.0', '0.1']]);
  });

  it('goes down to any depth', () => {
    const inner = all('conjunction', judgedPart('blue'), number(3));
    const outer = all(
      'disjunction',
      ['conjunction', inner.eval_kwargs],
      ['negation', { eval_func: 'eval_reference_answer_with_llm', eval_kwargs: reference('red') }],
    );
    // The first is decided without a judge, so only the second is asked about.
    expect(ask(outer, "[['a', 4], 'crimson']", 'red')).toEqual([0, ['0.1.0']]);
    expect(ask(outer, "[['a', 4], 'green']")).toEqual([1, ['0.1.0']]);
    expect(ask(outer, "[['a', 3], 'crimson']", 'blue')).toEqual([1, ['0.0.0']]);
  });

  it('is unscored over an unreadable part, unless another part decides', () => {
    const both = all('conjunction', judgedPart('blue'), judgedPart('round'));
    const halfDeaf = (reply: string) => (question: JudgeQuestion) =>
      question.part === '0.0' ? 'hm' : reply;
    expect(judged(both, "['a', 'b']", halfDeaf(saysFalse)).verdict).toEqual(
      scored(false, 'They differ.'),
    );
    expect(judged(both, "['a', 'b']", halfDeaf(saysTrue)).verdict).toEqual(
      unscored('judge-unreadable'),
    );
  });

  it('goes in order where the reference would stumble over a part', () => {
    const broken = all('disjunction', judgedPart('blue'), ['no_such', {}]);
    const strictly = (reply: string) =>
      judged(broken, "['a', 'b']", () => reply, { mode: 'strict' }).verdict;
    expect(scoreOf(strictly(saysTrue))).toBe(1);
    expect(scoreOf(strictly(saysFalse))).toBe(0);
    expect(judged(broken, "['a', 'b']", never).verdict).toEqual(
      unscored('invalid-evaluator', 'an inner function is unknown'),
    );
  });
});
