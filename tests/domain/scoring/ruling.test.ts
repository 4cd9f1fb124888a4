import { describe, expect, it } from 'vitest';
import { sectionsMarkdown } from '../../../client/views/sections/section.js';
import { comparisonSections } from '../../../client/views/sections/comparison.js';
import { headlineLines } from '../../../client/views/sections/ledger.js';
import { outcomeKinds, type OutcomeKind } from '../../../domain/agent/question-result.js';
import { compareRuns } from '../../../domain/runs/compare-runs.js';
import { answersOf, type RunAnswer } from '../../../domain/scoring/answer.js';
import {
  openFor,
  openIn,
  rulingLineSchema,
  type Decision,
  type RulingLine,
} from '../../../domain/scoring/ruling.js';
import { headlinesOf, scoreLedger } from '../../../domain/scoring/score-ledger.js';
import { unscored } from '../../../domain/scoring/verdict.js';
import fc from '../../support/arbitrary/fast-check.js';
import { comparedRun } from '../../support/runs/compared-run.js';
import { sampleKey } from '../../support/runs/example-records.js';
import { ruled, rulingOf } from '../../support/runs/ruled.js';
import { runAnswer } from '../../support/runs/run-answer.js';

const q1 = sampleKey('q1');
/** Those that decide how a result counts. */
const settled = ['exclude', 'wrong', 'accept'] as const;
it('survives its file', () => {
  const signOff: RulingLine = {
    ...{ kind: 'sign-off', id: '00000002', at: '2026-01-01T10:00:00.000Z', by: 'cy' },
    of: 'a'.repeat(64),
  };
  for (const line of [rulingOf(q1, 'wrong'), signOff]) {
    expect(rulingLineSchema.parse(JSON.parse(JSON.stringify(line)))).toEqual(line);
  }
});

describe('an answer', () => {
  const { item, result, score } = runAnswer({ uuid: 'q1', verdict: 1 });
  const answerIn = (decided: readonly Decision[], asking?: number): RunAnswer | undefined => {
    const results = result ? [{ ...result, ...(asking !== undefined && { asking }) }] : [];
    const rulings = decided.map((decision) => rulingOf(q1, decision));
    return answersOf({
      items: [item],
      epochs: 1,
      results,
      scores: score ? [score] : [],
      rulings,
    })[0];
  };

  it.each<[string, readonly Decision[], number | undefined, Decision | undefined]>([
    ['has the newest ruling on its result', ['exclude', 'accept'], undefined, 'accept'],
    ['has none that was on the result of an earlier asking', ['exclude'], 2, undefined],
    ['has none where it is to be asked again', ['exclude', 'again'], undefined, undefined],
    ['has none that was withdrawn', ['exclude', 'withdraw'], undefined, undefined],
  ])('%s', (_, decided, asking, decision) => {
    expect(answerIn(decided, asking)?.ruling?.decision).toBe(decision);
  });
});

const doubtful = (change: Partial<NonNullable<RunAnswer['result']>['tools']>, verdict = 1) => {
  const answer = runAnswer({ uuid: 'q1', verdict });
  const { result } = answer;
  return { ...answer, result: result && { ...result, tools: { ...result.tools, ...change } } };
};
const judgedBy = (
  ...verdicts: readonly NonNullable<RunAnswer['score']>['verdict'][]
): RunAnswer => {
  const answer = runAnswer({ uuid: 'q1', verdict: 1 });
  const judges = verdicts.map((verdict) => ({ model: 'a-judge', calls: 1, verdict }));
  const judging = { prompts: '1', combination: 'majority' as const, judges };
  return { ...answer, score: answer.score && { ...answer.score, judging } };
};
const right = { kind: 'scored' as const, score: 1 };

describe('openFor', () => {
  it.each<[string, RunAnswer, RegExp | null]>([
    ['a right answer', runAnswer({ uuid: 'q1', verdict: 1 }), null],
    ['a wrong answer', runAnswer({ uuid: 'q1', verdict: 0 }), null],
    ['a question that goes on', runAnswer({ uuid: 'q1', verdict: null }), null],
    ['no evaluator', runAnswer({ uuid: 'q1', verdict: 'no-evaluator' }), null],
    ['a scorer that abstains', runAnswer({ uuid: 'q1', verdict: 'scorer-abstained' }), null],
    [
      'a judge that was not there',
      runAnswer({ uuid: 'q1', verdict: 'judge-unavailable' }),
      /no score: judge-unavailable/,
    ],
    [
      'SQL that was not executed',
      runAnswer({ uuid: 'q1', verdict: 'not-executed' }),
      /no score: not-executed/,
    ],
    ['judges that agree', judgedBy(right, right), null],
    [
      'a panel without one of its judges',
      judgedBy(right, unscored('judge-unavailable')),
      /one of its judges gave no verdict/,
    ],
    [
      'a right answer with a value from nowhere',
      doubtful({ ungrounded: ['7'] }),
      /no observation shows/,
    ],
    ['a wrong one', doubtful({ ungrounded: ['7'] }, 0), null],
    ['a grounded one', doubtful({ ungrounded: [] }), null],
    ['a wrong answer that was cut off', doubtful({ answerCutOff: true }, 0), /was cut off/],
    ['a right one', doubtful({ answerCutOff: true }), null],
  ])('%s', (_, answer, why) => {
    if (why === null) expect(openFor(answer)).toBeNull();
    else expect(openFor(answer)).toMatch(why);
  });

  it('names what ended for outside reasons, and no other outcome', () => {
    const opened = outcomeKinds.filter(
      (outcome) => openFor(runAnswer({ uuid: 'q1', verdict: 0, outcome })) !== null,
    );
    expect(opened).toEqual<OutcomeKind[]>(['budget-stop', 'deadline', 'cancelled', 'infra-error']);
  });

  it.each(settled)('leaves nothing open that a person has ruled to %s', (decision) => {
    const failed = runAnswer({ uuid: 'q1', verdict: 'outside-failure', outcome: 'infra-error' });
    const open = { ...q1, why: 'it ended as infra-error' };
    expect(openIn([failed, ruled(failed, decision)])).toEqual([open]);
  });
});

/** Two right, two wrong, one that failed. */
const answers = [1, 1, 0, 0, 'outside-failure' as const].map((verdict, index) =>
  runAnswer({ uuid: `q${index}`, verdict }),
);
/** The answers with rulings on those at these places. */
const withRulings = (places: Readonly<Partial<Record<number, Decision>>>): readonly RunAnswer[] =>
  answers.map((answer, place) => {
    const decision = places[place];
    return decision === undefined ? answer : ruled(answer, decision);
  });

describe('a headline', () => {
  it('leaves out what is excluded, and counts as wrong what was ruled so', () => {
    const [headline] = headlinesOf(withRulings({ 2: 'exclude', 4: 'wrong', 0: 'accept' }));
    expect(headline).toMatchObject({
      ...{ samples: 5, scorable: 4, scored: 4, unresolved: 0, score: { mean: 0.5 } },
      verdicts: { scored: 4, excluded: 1 },
      rulings: { counts: { exclude: 1, wrong: 1, accept: 1 } },
    });
    expect(headline.rulings?.without).toEqual(headlinesOf(answers)[0]);
    expect(headlinesOf(withRulings({ 2: 'exclude', 3: 'exclude' }))[0].score?.mean).toBe(1);
  });

  it('counts what an outside failure left out as unresolved until a person decides', () => {
    const [headline] = headlinesOf(withRulings({ 0: 'accept', 4: 'accept' }));
    expect(headline).toMatchObject({ scored: 4, unresolved: 1, score: { mean: 0.5 } });
    expect(headlinesOf(withRulings({ 4: 'exclude' }))[0]).toMatchObject({
      ...{ scored: 4, unresolved: 0, bounds: { worst: 0.5, best: 0.5 } },
    });
  });

  it('says its number with rulings and without', () => {
    expect(
      headlineLines({
        headlines: headlinesOf(withRulings({ 2: 'exclude', 3: 'exclude', 4: 'wrong' })),
      }),
    ).toEqual([
      expect.stringMatching(/^mean score 0\.667 over 3 scored, 95 % between/),
      '0.667 with 3 rulings (2 excluded, 1 counted as wrong); 0.500 without',
    ]);
    expect(headlineLines(scoreLedger(answers)).join('\n')).not.toContain('ruling');
  });

  it('counts as wrong with the least of each scale', () => {
    const graded = runAnswer({
      ...{ uuid: 'q1', verdict: 1 },
      item: { evaluator: { eval_func: 'eval_long_form_grade', eval_kwargs: { reference: 'x' } } },
    });
    expect(headlinesOf([ruled(graded, 'wrong')])[0]).toMatchObject({
      ...{ scale: 'one-to-five', score: { mean: 1 }, rulings: { without: { score: { mean: 5 } } } },
    });
  });

  it('is without rulings what it is without the file, whatever people have ruled', () => {
    const decided = fc.array(fc.option(fc.constantFrom(...settled)), {
      minLength: 5,
      maxLength: 5,
    });
    fc.assert(
      fc.property(decided, (given) => {
        const all = answers.map((answer, place) => {
          const decision = given[place] ?? null;
          return decision === null ? answer : ruled(answer, decision);
        });
        const [headline] = headlinesOf(all);
        const [plain] = headlinesOf(answers);
        expect(headline.rulings?.without ?? headline).toEqual(plain);
      }),
    );
  });
});

it('compares runs as people have ruled, and says so', () => {
  const [baseline, candidate] = [
    comparedRun('a', withRulings({ 2: 'exclude' })),
    comparedRun('b', withRulings({ 3: 'wrong', 4: 'wrong' })),
  ];
  const comparison = compareRuns(baseline, [candidate]);
  expect(comparison.candidates).toMatchObject([{ pairs: 3, unscored: 1, unpaired: 0 }]);
  const text = sectionsMarkdown(comparisonSections(comparison));
  expect(text).toContain(
    'a is compared as people have ruled: 0.667 with 1 ruling (1 excluded); 0.500 without',
  );
  expect(text).toContain('b is compared as people have ruled: 0.400 with 2 rulings');
  expect(text).toContain('| a | 0.667 (without rulings 0.500) |');
});
