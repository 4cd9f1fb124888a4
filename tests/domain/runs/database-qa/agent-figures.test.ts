import { describe, expect, it } from 'vitest';
import {
  agentFigures,
  matchOf,
  type CategoryFigures,
} from '../../../../domain/runs/database-qa/agent-figures.js';
import type { AnswerRecord } from '../../../../domain/runs/database-qa/answer-record.js';
import { agentAnswers, answerRecord } from '../../../support/runs/answer-records.js';

const figuresOf = (answers: readonly AnswerRecord[]) => agentFigures(agentAnswers(answers));

/** Four conclusive answers and two interpretive ones, whose figures are easy to take by hand. */
const answers = [
  answerRecord({ uuid: 'c1', queries: 'rre', plan: 10, answer: 30, verdict: 1 }),
  answerRecord({ uuid: 'c2', queries: 'xtf', plan: 20, answer: 60, verdict: 0 }),
  answerRecord({ uuid: 'c3', queries: '', plan: 0, answer: 90, verdict: 'judge-unreadable' }),
  answerRecord({ uuid: 'c4', outcome: 'infra-error', queries: 'rrrr', plan: 99, verdict: null }),
  answerRecord({
    uuid: 'i1',
    category: 'interpretive',
    queries: 'r',
    plan: 4,
    answer: 100,
    verdict: 2,
    stoppedBy: 'cap',
  }),
  answerRecord({
    uuid: 'i2',
    category: 'interpretive',
    queries: 'rrr',
    plan: 8,
    answer: 200,
    verdict: 5,
  }),
];
const { conclusive, interpretive, withoutCategory } = figuresOf(answers);

describe('the columns of Table 2', () => {
  it.each<[keyof CategoryFigures, number, number]>([
    ['questions', 4, 2],
    ['answered', 3, 2],
    ['failed', 1, 0],
    ['scored', 2, 2],
    ['unscored', 1, 0],
    ['match', 0.5, 3.5],
    ['planWords', 10, 6],
    ['generated', 2, 2],
    ['valid', 2 / 3, 2],
    ['executable', 1, 2],
    ['answerWords', 60, 150],
    ['withoutInteraction', 1, 0],
    ['capped', 0, 1],
  ])('have %s apart for conclusive and interpretive questions', (column, c, i) => {
    expect(conclusive[column]).toBeCloseTo(c, 12);
    expect(interpretive[column]).toBeCloseTo(i, 12);
  });

  it('leave the unit that is not known', () => {
    expect(conclusive).toMatchObject({ planTokens: null, answerTokens: null });
    const [first] = answers;
    const counted = first && { ...first, plan: { text: 'a b', words: 7, tokens: 9 } };
    expect(figuresOf(counted ? [counted] : []).conclusive).toMatchObject({
      planWords: 7,
      planTokens: 9,
    });
  });

  it('have intervals within what is possible, and none from a single question', () => {
    for (const [name, interval] of Object.entries(conclusive.intervals)) {
      if (name.endsWith('Tokens')) continue;
      expect(interval?.low, name).toBeGreaterThanOrEqual(0);
      expect(interval?.high, name).toBeGreaterThan(0);
    }
    expect(conclusive.intervals.match?.high).toBeLessThanOrEqual(1);
    expect(interpretive.intervals.match?.low).toBeGreaterThanOrEqual(1);
    expect(interpretive.intervals.match?.high).toBeLessThanOrEqual(5);
    const epochs = [1, 2].map((epoch) => answerRecord({ uuid: 'c1', epoch, plan: epoch }));
    expect(figuresOf(epochs).conclusive.intervals.planWords).toBeNull();
  });

  it('say why answers have no score', () => {
    const unjudged = answerRecord({ uuid: 'c5', verdict: null });
    expect(figuresOf([...answers, unjudged]).conclusive.reasons).toEqual({
      'judge-unreadable': 1,
      'not-judged': 1,
    });
  });

  it('are null without answers', () => {
    expect(figuresOf([]).interpretive).toMatchObject({
      questions: 0,
      match: null,
      planWords: null,
      intervals: { match: null, planWords: null },
    });
  });

  it('count answers without a category, and have them in no column', () => {
    const open = answerRecord({ uuid: 'o', category: null, verdict: null });
    expect(withoutCategory).toBe(0);
    expect(figuresOf([open])).toMatchObject({
      withoutCategory: 1,
      conclusive: { questions: 0 },
      interpretive: { questions: 0 },
    });
  });

  it('count no repair as a generated or valid query', () => {
    const [query] = answerRecord({ uuid: 'c1', queries: 'x' }).queries;
    const repaired = {
      ...answerRecord({ uuid: 'c1' }),
      queries: query ? [query, { ...query, repairOf: 0, status: 'rows' as const }] : [],
    };
    expect(figuresOf([repaired]).conclusive).toMatchObject({
      generated: 1,
      valid: 0,
      executable: 0,
    });
  });

  it('count an empty answer only if it was judged nevertheless', () => {
    const empty = { uuid: 'c6', outcome: 'abstained', queries: '', answer: 0 } as const;
    expect(figuresOf([answerRecord({ ...empty, verdict: null })]).conclusive).toMatchObject({
      answered: 0,
      scored: 0,
      unscored: 0,
    });
    expect(figuresOf([answerRecord({ ...empty, verdict: 0 })]).conclusive).toMatchObject({
      answered: 0,
      scored: 1,
      match: 0,
    });
  });
});

it('estimates the interval of grades on their own scale', () => {
  const grades = [1, 3, 3, 5].map((verdict, at) =>
    answerRecord({ uuid: `i${at}`, category: 'interpretive', verdict }),
  );
  const { mean, interval } = matchOf('interpretive', grades);
  // Student's t with 3 degrees of freedom, 3.182, times the standard error √(8/3)/2.
  const half = 3.182446 * (Math.sqrt(8 / 3) / 2);
  expect(mean).toBe(3);
  expect(interval?.low).toBe(1);
  expect(interval?.high).toBeCloseTo(Math.min(5, 3 + half), 5);
});
