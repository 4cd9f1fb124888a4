import { describe, expect, it } from 'vitest';
import { compareRuns, type ComparedRun } from '../../../domain/runs/compare-runs.js';
import type { RunAnswer } from '../../../domain/scoring/answer.js';
import {
  comparisonVerdict,
  differenceOf,
  type PairedScore,
} from '../../../domain/scoring/score-estimate.js';
import fc from '../../support/arbitrary/fast-check.js';
import { comparedRun } from '../../support/runs/compared-run.js';
import { runAnswer } from '../../support/runs/run-answer.js';

/** Numbers in [0, 1) that are the same each time: mulberry32. */
function drawsFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Setting {
  readonly papers: number;
  readonly epochs: number;
  readonly graded: boolean;
  /** Questions of each paper in turn. */
  readonly questions: readonly number[];
}

const settings: readonly Setting[] = [2, 3, 4, 6, 10, 20].flatMap((papers) =>
  [1, 2, 3, 4].flatMap((epochs) =>
    [false, true].flatMap((graded) =>
      [[3], [1, 5, 2, 4, 3], [9, 1, 1, 1]].map((questions) => ({
        ...{ papers, epochs, graded, questions },
      })),
    ),
  ),
);

/** More where a few papers hold most questions: there the share is near 93.5 %, so 2,000 draws would often be below 93. */
const drawsOf = ({ questions }: Setting): number => (questions.includes(9) ? 8000 : 2000);

/** Two runs that are alike, each with a luck of its own with each paper: scores of a paper are correlated. */
function drawnPairs(
  { papers, epochs, graded, questions }: Setting,
  draw: () => number,
): PairedScore[] {
  const pairs: PairedScore[] = [];
  for (let paper = 0; paper < papers; paper += 1) {
    const cluster = { unit: 'paper', id: String(paper) } as const;
    const [one, other] = [draw(), draw()];
    const score = (luck: number): number =>
      graded ? Math.round(5 * (luck + draw())) / 10 : Number(draw() < luck);
    const count = questions[paper % questions.length] ?? 0;
    for (let question = 0; question < count; question += 1) {
      for (let epoch = 1; epoch <= epochs; epoch += 1) {
        const uuid = `${paper}-${question}`;
        pairs.push({ uuid, cluster, baseline: score(one), candidate: score(other) });
      }
    }
  }
  return pairs;
}

describe('two runs that are alike', () => {
  it.each(settings)(
    'are called different in 5 % of draws at most, and have an interval that holds 0 in 93 %: $papers papers, $questions questions, $epochs epochs, graded $graded',
    (setting) => {
      const draws = drawsOf(setting);
      const draw = drawsFrom(settings.indexOf(setting) * 0x9e3779b9);
      let different = 0;
      let covered = 0;
      for (let round = 0; round < draws; round += 1) {
        const difference = differenceOf(drawnPairs(setting, draw), 'unit');
        const verdict = comparisonVerdict(difference, difference?.p ?? null, true);
        if (verdict === 'better' || verdict === 'worse') different += 1;
        const { low = 0, high = 0 } = difference?.interval ?? {};
        if (low <= 0 && 0 <= high) covered += 1;
      }
      expect(different / draws).toBeLessThanOrEqual(0.05);
      expect(covered / draws).toBeGreaterThanOrEqual(0.93);
    },
  );
});

describe('the order of a comparison', () => {
  const grades = fc.array(
    fc.record({
      before: fc.integer({ max: 10, min: 0 }),
      after: fc.integer({ max: 10, min: 0 }),
      paper: fc.integer({ min: 0, max: 5 }),
    }),
    { minLength: 1, maxLength: 24 },
  );
  const runOf = (
    name: string,
    scores: readonly { readonly grade: number; readonly paper: number }[],
    order: (answers: RunAnswer[]) => RunAnswer[] = (answers) => answers,
  ): ComparedRun =>
    comparedRun(
      name,
      order(
        scores.map(({ grade, paper }, index) =>
          runAnswer({
            uuid: `q${Math.floor(index / 2)}`,
            epoch: (index % 2) + 1,
            verdict: grade / 10,
            paper: `p${(paper + Math.floor(index / 2)) % 4}`,
          }),
        ),
      ),
    );
  /** Each question has one paper. */
  const sides = (drawn: readonly { before: number; after: number; paper: number }[]) => {
    const papers = drawn.map(({ paper }, index) => drawn[index - (index % 2)]?.paper ?? paper);
    return {
      before: drawn.map(({ before }, index) => ({ grade: before, paper: papers[index] ?? 0 })),
      after: drawn.map(({ after }, index) => ({ grade: after, paper: papers[index] ?? 0 })),
    };
  };

  it('changes nothing, nor does that of the rows of its files', () => {
    fc.assert(
      fc.property(grades, (drawn) => {
        const { before, after } = sides(drawn);
        const straight = compareRuns(runOf('a', before), [runOf('b', after)], ['tags']);
        const shuffled = compareRuns(
          runOf('a', before, (answers) => answers.toReversed()),
          [runOf('b', after, (answers) => [...answers.slice(1), ...answers.slice(0, 1)])],
          ['tags'],
        );
        expect(JSON.stringify(shuffled)).toBe(JSON.stringify(straight));
      }),
    );
  });

  it('mirrors it', () => {
    fc.assert(
      fc.property(grades, (drawn) => {
        const { before, after } = sides(drawn);
        const [one] = compareRuns(runOf('a', before), [runOf('b', after)]).candidates;
        const [other] = compareRuns(runOf('b', after), [runOf('a', before)]).candidates;
        const mirror = { better: 'worse', worse: 'better' } as const;
        const verdict = one?.verdict ?? 'not-comparable';
        expect(other?.verdict).toBe(verdict in mirror ? mirror[verdict as 'better'] : verdict);
        expect(other?.difference).toMatchObject({
          mean: 0 - (one?.difference?.mean ?? NaN),
          better: one?.difference?.worse,
          worse: one?.difference?.better,
          p: one?.difference?.p,
          smallestDetectable: one?.difference?.smallestDetectable,
        });
        expect(other?.difference?.interval.low).toBe(0 - (one?.difference?.interval.high ?? NaN));
        expect(other?.bounds?.worst).toBeCloseTo(0 - (one?.bounds?.best ?? NaN), 12);
      }),
    );
  });
});
