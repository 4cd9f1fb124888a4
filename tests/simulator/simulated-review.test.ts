import { describe, expect, it } from 'vitest';
import type { AnswerTrace } from '../../domain/agent/database-qa/answer-trace.js';
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
import { simulatedReview } from '../../simulator/simulated-review.js';
import { simulatorOptionsSchema } from '../../simulator/simulator-options.js';
import { exampleTrace, questionOf, withoutInteraction } from '../support/runs/reviewed.js';

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
