import { describe, expect, it } from 'vitest';
import { comparisonSections } from '../../../client/views/sections/comparison.js';
import { headlineLines, ledgerSection } from '../../../client/views/sections/ledger.js';
import { compareRuns } from '../../../domain/runs/compare-runs.js';
import { emptyRun } from '../../../domain/runs/run-state.js';
import {
  addEnded,
  addScore,
  noScores,
  noTotals,
  removeTotals,
  runTotalsSchema,
  scoreMeans,
  type EndedQuestion,
} from '../../../domain/runs/run-totals.js';
import { runDetails } from '../../../domain/runs/workflow-details.js';
import type { RunAnswer } from '../../../domain/scoring/answer.js';
import {
  datasetItemSchema,
  evaluatorOf,
  evaluatorProblems,
  scoringProblems,
} from '../../../domain/scoring/dataset-item.js';
import { readGolds, scorePrediction } from '../../../domain/scoring/predictions.js';
import {
  scored,
  unscored,
  verdictSchema,
  fromScale,
  onScale,
  scaleOf,
  scalesIn,
} from '../../../domain/scoring/verdict.js';
import { scoreDifferences } from '../../../domain/scoring/score-version.js';
import { scoreLedger } from '../../../domain/scoring/score-ledger.js';
import { sectionText } from '../../support/commands/section-text.js';
import { comparedRun } from '../../support/runs/compared-run.js';
import { exampleEnd, sampleKey } from '../../support/runs/example-records.js';
import { runAnswer } from '../../support/runs/run-answer.js';

const question = 'Do a do better than b?';
const referenceAnswer = 'They do, by a third.';
const item = (fields: object) => datasetItemSchema.parse({ uuid: 'q', question, ...fields });

describe('evaluatorOf', () => {
  const eval_kwargs = { question, reference_answer: referenceAnswer };
  const own = { eval_func: 'eval_bool_exact_match', eval_kwargs: { gold: true } };

  it.each([
    ['conclusive', { category: 'conclusive', referenceAnswer }, 'eval_long_form_match'],
    ['interpretive', { category: 'interpretive', referenceAnswer }, 'eval_long_form_grade'],
  ])('judges a %s question by its reference answer', (_, fields, eval_func) => {
    expect(evaluatorOf(item(fields))).toEqual({ eval_func, eval_kwargs });
    expect(scoringProblems(item(fields))).toEqual([]);
  });

  it.each([
    ['nothing', {}],
    ['a category', { category: 'conclusive' }],
    ['a category and a blank reference answer', { category: 'conclusive', referenceAnswer: ' ' }],
  ])('is none for an item with %s, which is no mistake', (_, fields) => {
    expect(evaluatorOf(item(fields))).toBeUndefined();
    expect(scoringProblems(item(fields))).toEqual([]);
    const prediction = { ...sampleKey('q'), answer: null, outcome: 'answered' } as const;
    expect(scorePrediction(prediction, item(fields), 'default')).toMatchObject({
      verdict: { reason: 'no-evaluator' },
      scorer: null,
    });
  });

  it('is the evaluator of an item that names one', () => {
    expect(evaluatorOf(item({ evaluator: own, category: 'conclusive', referenceAnswer }))).toEqual(
      own,
    );
  });

  it('warns of a reference answer that nothing is compared with', () => {
    expect(scoringProblems(item({ referenceAnswer }))).toEqual([
      {
        severity: 'warning',
        message: 'it has a referenceAnswer and no category: its answers cannot be judged',
      },
    ]);
  });

  it.each([
    ['conclusive', 'eval_long_form_grade'],
    ['interpretive', 'eval_long_form_match'],
  ])('is refused where a %s question would be judged by %s', (category, eval_func) => {
    const fields = { uuid: 'q', question, category, evaluator: { eval_func, eval_kwargs } };
    expect(scoringProblems(item(fields))).toMatchObject([{ severity: 'error' }]);
    expect(readGolds(JSON.stringify(fields)).problems[0]).toMatch(
      new RegExp(`^line 1: ${eval_func} judges .* questions, and the category is ${category}$`),
    );
  });

  it('has grades in no logical function', () => {
    const inner = { eval_func: 'eval_long_form_grade', eval_kwargs };
    expect(evaluatorProblems({ eval_func: 'eval_negation', eval_kwargs: inner })).toMatchObject([
      { severity: 'error' },
    ]);
  });
});

describe('the scales', () => {
  it('turn scores into grades and back', () => {
    expect([0, 0.25, 0.5, 0.75, 1].map((score) => onScale(score, 'one-to-five'))).toEqual([
      1, 2, 3, 4, 5,
    ]);
    expect([1, 3, 5].map((grade) => fromScale(grade, 'one-to-five'))).toEqual([0, 0.5, 1]);
    expect(onScale(0.3, 'unit')).toBe(0.3);
  });

  it('follow from the evaluation function', () => {
    expect(scaleOf('eval_long_form_grade')).toBe('one-to-five');
    for (const scorer of ['eval_long_form_match', 'eval_scidqa', null, undefined])
      expect(scaleOf(scorer)).toBe('unit');
    expect(scalesIn(['one-to-five', null, 'unit'])).toEqual(['unit', 'one-to-five']);
    expect(scalesIn([null])).toEqual(['unit']);
  });
});

type Given = Parameters<typeof runAnswer>[0]['verdict'];
const conclusive = (uuid: string, verdict: Given): RunAnswer =>
  runAnswer({
    uuid,
    verdict,
    item: { evaluator: undefined, question, category: 'conclusive', referenceAnswer },
  });
/** @param grade - from 1 to 5, or a reason */
const interpretive = (uuid: string, grade: Given): RunAnswer =>
  runAnswer({
    uuid,
    verdict: typeof grade === 'number' ? fromScale(grade, 'one-to-five') : grade,
    item: { evaluator: undefined, question, category: 'interpretive', referenceAnswer },
  });

const closeTo = (value: number): number => expect.closeTo(value, 12) as number;

/** Match rate 0.5, match score 3. A mean over all four would be 0.5 of something. */
const mixed = [
  conclusive('c1', 1),
  conclusive('c2', 0),
  interpretive('i1', 4),
  interpretive('i2', 2),
  interpretive('i3', 'judge-unreadable'),
];

describe('a run with both kinds of questions', () => {
  it('has a match rate and a match score, and no mean over both', () => {
    const ledger = scoreLedger(mixed, ['category']);
    expect(ledger.headlines).toMatchObject([
      { scale: 'unit', scored: 2, unresolved: 0, score: { mean: 0.5 } },
      {
        scale: 'one-to-five',
        scored: 2,
        unresolved: 1,
        score: { mean: 3 },
        bounds: { worst: closeTo(7 / 3), best: closeTo(11 / 3) },
        verdicts: { scored: 2, 'judge-unreadable': 1 },
      },
    ]);
    const [, grades] = ledger.headlines;
    expect(grades?.score?.interval.low).toBeGreaterThanOrEqual(1);
    expect(grades?.score?.interval.high).toBeLessThanOrEqual(5);
    expect(headlineLines(ledger)).toEqual([
      expect.stringMatching(/^mean score 0\.500 over 2 scored, /),
      expect.stringMatching(/^mean match score \(1 to 5\) 3\.000 over 2 scored, /),
      '1 of 3 have no score and enter no mean (1 judge-unreadable): the mean would be 2.333 if all of them were the worst, 3.667 if all were the best',
    ]);
  });

  it('has rows for both in every group', () => {
    const tagged = mixed.map((sample) => ({ ...sample, item: { ...sample.item, tags: ['all'] } }));
    const text = sectionText(ledgerSection(scoreLedger(tagged)));
    expect(text).toMatch(/^all +0\.500 /m);
    expect(text).toMatch(/^all \(1 to 5\) +3\.000 /m);
    expect(text).toMatch(/^eval_long_form_match +0\.500 /m);
    expect(text).toMatch(/^eval_long_form_grade \(1 to 5\) +3\.000 /m);
  });

  it('counts what names no evaluator once', () => {
    const none = runAnswer({
      uuid: 'n',
      verdict: 'no-evaluator',
      item: { evaluator: undefined, question, category: 'interpretive' },
    });
    expect(scoreLedger([none, interpretive('i', 5)]).headlines).toMatchObject([
      { scale: 'one-to-five', samples: 2, scorable: 1, score: { mean: 5 } },
    ]);
  });

  it('adds up its totals apart, while it goes on as well', () => {
    const ended = (score: number | null, scale?: 'one-to-five'): EndedQuestion => ({
      outcome: 'answered',
      turns: 1,
      usage: noTotals.usage,
      cost: noTotals.cost,
      score,
      ...(scale && { scale }),
    });
    const ends = [ended(1), ended(0), ended(0.75, 'one-to-five'), ended(0.25, 'one-to-five')];
    const totals = [...ends, ended(null, 'one-to-five')].reduce(addEnded, noTotals);
    expect(totals.scores).toEqual({
      total: 1,
      scored: 2,
      unscored: 1,
      grades: { total: 6, scored: 2 },
    });
    expect(runTotalsSchema.parse(JSON.parse(JSON.stringify(totals)))).toEqual(totals);
    expect(scoreMeans(totals.scores)).toEqual([
      { scale: 'unit', mean: 0.5, scored: 2 },
      { scale: 'one-to-five', mean: 3, scored: 2 },
    ]);
    expect(runDetails({ ...emptyRun, samples: 5, totals }, '')).toContain(
      'mean score 0.500 over 2 scored, mean match score (1 to 5) 3.000 over 2 scored, 1 unscored',
    );
    expect(removeTotals(totals, totals).scores).toMatchObject({ total: 0, scored: 0 });
    expect(scoreMeans(addScore(noScores, { score: 1, scale: 'one-to-five' }))).toEqual([
      { scale: 'one-to-five', mean: 5, scored: 1 },
    ]);
  });

  it('is compared apart', () => {
    const better = [
      conclusive('c1', 1),
      conclusive('c2', 1),
      interpretive('i1', 5),
      interpretive('i2', 5),
      interpretive('i3', 1),
    ];
    const comparison = compareRuns(comparedRun('a', mixed), [comparedRun('b', better)]);
    expect(comparison.candidates).toMatchObject([
      {
        scale: 'unit',
        pairs: 2,
        difference: { baselineMean: 0.5, candidateMean: 1, mean: 0.5 },
        flips: [{ uuid: 'c2', baseline: { score: 0 }, candidate: { score: 1 } }],
      },
      {
        scale: 'one-to-five',
        pairs: 2,
        unscored: 1,
        difference: { baselineMean: 3, candidateMean: 5, mean: 2 },
        bounds: { worst: 0, best: 8 / 3 },
      },
    ]);
    const text = sectionText(...comparisonSections(comparison));
    expect(text).toMatch(
      /^too few questions to decide, 2 where 6 are needed: b against a in match scores from 1 to 5 \+2\.000/m,
    );
    expect(text).toMatch(/^b \(1 to 5\) +3\.667 /m);
  });

  it('compares no question that two runs judge on different scales', () => {
    const [candidate] = compareRuns(comparedRun('a', [conclusive('x', 1)]), [
      comparedRun('b', [interpretive('x', 5)]),
    ]).candidates;
    expect(candidate).toMatchObject({ scale: 'unit', pairs: 0, unscored: 1, difference: null });
  });

  it('has a mean on each scale before and after it is scored again', () => {
    const scoresOf = (grade: number) =>
      [
        ['c', 'eval_long_form_match', 1],
        ['i', 'eval_long_form_grade', fromScale(grade, 'one-to-five')],
      ].map(([uuid, scorer, score]) => ({
        ...exampleEnd(sampleKey(String(uuid))).score,
        scorer: String(scorer),
        score: Number(score),
        verdict: { kind: 'scored' as const, score: Number(score) },
      }));
    expect(scoreDifferences(scoresOf(2), scoresOf(4))).toMatchObject({
      changed: [{ uuid: 'i', scale: 'one-to-five' }],
      means: [
        { scale: 'unit', before: 1, after: 1 },
        { scale: 'one-to-five', before: 2, after: 4 },
      ],
    });
  });
});

it.each([
  scored(true),
  unscored('needs-judge'),
  { kind: 'scored', score: 0.5, rationale: 'half of it' },
])('survives JSON: %j', (verdict) => {
  expect(verdictSchema.parse(JSON.parse(JSON.stringify(verdict)))).toEqual(verdict);
});

it.each([{ kind: 'scored', score: 2 }, { kind: 'scored', score: NaN }, { kind: 'unscored' }])(
  'refuses %j',
  (verdict) => {
    expect(verdictSchema.safeParse(verdict).success).toBe(false);
  },
);
