import { describe, expect, it } from 'vitest';
import { comparisonWords, signed } from '../../../client/views/comparison-text.js';
import {
  compareRuns,
  differenceOf,
  pairRuns,
  type ComparedRun,
} from '../../../domain/runs/compare-runs.js';
import { mcnemarExact } from '../../../domain/statistics/bootstrap.js';
import { exampleEnd, sampleKey } from '../../support/runs/example-records.js';
import { comparedRun } from '../../support/runs/compared-run.js';
import { scoredSample } from '../../support/runs/scored-samples.js';

type Verdicts = readonly Parameters<typeof scoredSample>[0]['verdict'][];

const runOf = (run: string, verdicts: Verdicts): ComparedRun =>
  comparedRun(
    run,
    verdicts.map((verdict, index) => scoredSample({ uuid: `q${index}`, verdict })),
  );

/** `count` times the same. */
const times = <T>(count: number, value: T): readonly T[] =>
  Array.from({ length: count }, () => value);

const compareTwo = (before: Verdicts, after: Verdicts) => {
  const comparison = compareRuns(runOf('a', before), [runOf('b', after)]);
  const [candidate] = comparison.candidates;
  if (!candidate) throw new Error('one candidate was given');
  return { ...comparison, candidate, words: comparisonWords('a', candidate) };
};

describe('compareRuns', () => {
  it('calls a run worse or better where the exact test and the bootstrap agree', () => {
    const right = times(40, 1);
    const fewer = [...times(12, 0), ...times(28, 1)];
    const { candidate, words } = compareTwo(right, fewer);
    expect(candidate).toMatchObject({
      verdict: 'worse',
      difference: { questions: 40, better: 0, worse: 12, mean: -0.3, p: mcnemarExact(0, 12) },
    });
    expect(words).toMatch(
      /^b is worse than a: −0\.300, 95 % between −0\.\d+ and −0\.\d+, p below 0\.001$/,
    );
    expect(compareTwo(fewer, right).candidate.verdict).toBe('better');
  });

  it('says that it is not decisive, and what so few questions could have shown', () => {
    const { candidate, words } = compareTwo(
      [...times(3, 0), 1, ...times(16, 1)],
      [...times(3, 1), 0, ...times(16, 1)],
    );
    expect(candidate).toMatchObject({
      verdict: 'not-decisive',
      difference: { better: 3, worse: 1 },
    });
    expect(words).toMatch(
      /^not decisive: b scores higher than a \(\+0\.100, .*p = 0\.625\), which may be due to chance; 20 questions rarely show a difference below 0\.3\d\d$/,
    );
  });

  it('is not decisive about runs that are alike, however few questions there are', () => {
    const { candidate, words } = compareTwo(times(10, 1), times(10, 1));
    expect(candidate).toMatchObject({
      verdict: 'not-decisive',
      flips: [],
      difference: { mean: 0, p: 1, smallestDetectable: 0.6 },
    });
    expect(words).toContain('b scores the same as a (0.000');
  });

  it('lets no failure move the difference, and says what those missing could make of it', () => {
    const before = [...times(20, 1), ...times(4, 0)];
    const after = [...times(10, 0), ...times(10, 'outside-failure' as const), ...times(4, 0)];
    const { candidate, words } = compareTwo(before, after);
    expect(candidate).toMatchObject({
      pairs: 14,
      unscored: 10,
      verdict: 'worse',
      bounds: { worst: -20 / 24, best: 0 },
    });
    expect(candidate.difference?.mean).toBeCloseTo(-10 / 14, 12);
    expect(words).toContain('; the 10 questions without a score in both could overturn it');
  });

  it('decides nothing by the questions of one paper, which are one trial', () => {
    const of = (run: string, verdict: number): ComparedRun =>
      comparedRun(
        run,
        times(40, verdict).map((one, index) =>
          scoredSample({ uuid: `q${index}`, verdict: one, paper: 'p' }),
        ),
      );
    const [candidate] = compareRuns(of('a', 0), [of('b', 1)]).candidates;
    expect(candidate).toMatchObject({
      verdict: 'not-decisive',
      difference: { mean: 1, interval: { low: -1, high: 1 }, smallestDetectable: 1 },
    });
  });

  it('promises no precision that half points which are all alike do not have', () => {
    const { candidate } = compareTwo(times(3, 0), times(3, 0.5));
    expect(candidate.difference?.smallestDetectable).toBe(1);
  });

  it('cannot compare runs without a question in common', () => {
    const { candidate, words } = compareTwo([1, 'judge-unreadable'], [null, 1]);
    expect(candidate).toMatchObject({ verdict: 'not-comparable', difference: null, pairs: 0 });
    expect(words).toBe('b and a cannot be compared: no question has a score in both');
  });

  it('corrects for several candidates', () => {
    const before = times(30, 1);
    const worse = [...times(6, 0), ...times(24, 1)];
    const alone = compareRuns(runOf('a', before), [runOf('b', worse)]);
    expect(alone.candidates.map(({ verdict, adjustedP }) => [verdict, adjustedP])).toEqual([
      ['worse', mcnemarExact(0, 6)],
    ]);
    const among = compareRuns(runOf('a', before), [
      runOf('b', worse),
      runOf('c', before),
      runOf('d', times(30, null)),
    ]);
    expect(among.candidates.map(({ verdict, adjustedP }) => [verdict, adjustedP])).toEqual([
      ['not-decisive', 2 * mcnemarExact(0, 6)],
      ['not-decisive', 1],
      ['not-comparable', null],
    ]);
  });

  it('shows who flipped and why', () => {
    const samples = (...verdicts: number[]) =>
      verdicts.map((verdict, index) => scoredSample({ uuid: `q${index}`, verdict }));
    const before = comparedRun('a', samples(1, 0, 1, 1), ({ uuid }) => ({
      turns: 3,
      ...(uuid === 'q2' && { answer: '20' }),
    }));
    const after = comparedRun('b', samples(0, 1, 0, 1), ({ uuid }) => ({
      ...(uuid === 'q0' && { answer: null, outcome: { kind: 'turn-limit', maxTurns: 20 } }),
      ...(uuid === 'q2' && { answer: '20' }),
    }));
    const [candidate] = compareRuns(before, [after]).candidates;
    expect(candidate?.flips).toMatchObject([
      {
        uuid: 'q0',
        direction: 'worse',
        because: 'outcome',
        baseline: { score: 1, outcome: 'answered', turns: 3 },
        candidate: { score: 0, outcome: 'turn-limit', turns: 4 },
      },
      { uuid: 'q1', direction: 'better', because: 'answer' },
      { uuid: 'q2', direction: 'worse', because: 'scoring' },
    ]);
    expect(candidate?.summary.meanTurns).toBe(4);
    expect(candidate?.summary.cost).toEqual({ usd: 0.04, unpricedCalls: 0 });
  });

  it('shows differences by a field of the questions', () => {
    const tagged = (...verdicts: number[]) =>
      verdicts.map((verdict, index) =>
        scoredSample({
          uuid: `q${index}`,
          verdict,
          item: { tags: index === 0 ? ['text', 'table'] : ['text'] },
        }),
      );
    const [candidate] = compareRuns(
      comparedRun('a', tagged(1, 1)),
      [comparedRun('b', tagged(0, 1))],
      { fields: ['tags'] },
    ).candidates;
    expect(
      candidate?.fields.map(({ field, groups }) => [
        field,
        groups.map(({ group, difference }) => [group, difference.mean]),
      ]),
    ).toEqual([
      [
        'tags',
        [
          ['text', -0.5],
          ['table', -1],
        ],
      ],
    ]);
  });

  it('remarks where other upstreams answered', () => {
    const by = (run: string, provider: string): ComparedRun => {
      const known = runOf(run, [1]);
      const answeredBy = [{ model: 'm', provider, replies: 2 }];
      return { ...known, results: [{ ...exampleEnd(sampleKey('q0')).result, answeredBy }] };
    };
    expect(compareRuns(by('a', 'One'), [by('b', 'Two')]).remarks).toEqual([
      'a was answered by m by One, b by m by Two',
    ]);
    expect(compareRuns(by('a', 'One'), [by('b', 'One')]).remarks).toEqual([]);
  });

  it('remarks once on what makes runs less comparable', () => {
    const other = { eval_func: 'eval_int_exact_match', eval_kwargs: { gold: 1 } };
    const changed = comparedRun('b', [
      scoredSample({ uuid: 'q0', verdict: 1, item: { evaluator: other } }),
    ]);
    const { remarks } = compareRuns({ ...runOf('a', [1]), ended: false }, [
      { ...changed, scorer: 'strict scorer' },
      runOf('c', [1]),
    ]);
    expect(remarks).toEqual([
      'a has scores of the default scorer, b of the strict scorer: `turnwise score` makes them alike',
      '1 questions have another evaluator in b',
      'a has not ended: what it has so far is compared',
    ]);
  });

  it('survives JSON', () => {
    const comparison = compareRuns(runOf('a', [1, 0, null]), [runOf('b', [0, 0.5, 1])], {
      fields: ['tags'],
    });
    expect(JSON.parse(JSON.stringify(comparison))).toEqual(comparison);
  });
});

describe('pairRuns', () => {
  it('pairs by uuid and epoch, and counts what has no partner', () => {
    const epochs = (...keys: (readonly [string, number])[]) =>
      keys.map(([uuid, epoch]) => scoredSample({ uuid, epoch, verdict: 1 }));
    const [{ pairs, unpaired, unscored }] = pairRuns(
      comparedRun('a', epochs(['x', 1], ['x', 2], ['y', 1])),
      comparedRun('b', epochs(['x', 2], ['x', 1], ['z', 1])),
    );
    expect(pairs.map(({ uuid, epoch }) => [uuid, epoch])).toEqual([
      ['x', 1],
      ['x', 2],
    ]);
    expect({ unpaired, unscored }).toEqual({ unpaired: 2, unscored: 0 });
  });
});

describe('differenceOf', () => {
  it('takes the epochs of a question for one trial', () => {
    const epochs = (...verdicts: number[]) =>
      verdicts.map((verdict, index) => scoredSample({ uuid: 'x', epoch: index + 1, verdict }));
    const [{ pairs }] = pairRuns(
      comparedRun('a', epochs(1, 1, 1, 1, 1, 1, 1)),
      comparedRun('b', epochs(0, 0, 0, 0, 0, 0, 1)),
    );
    expect(differenceOf(pairs)).toMatchObject({ questions: 1, better: 0, worse: 1, p: 1 });
  });

  it('draws the questions of a paper together: related questions show less', () => {
    const run = (name: string, papers: number, flipped: number) =>
      comparedRun(
        name,
        Array.from({ length: 40 }, (_, index) =>
          scoredSample({
            uuid: `q${index}`,
            verdict: index < flipped ? 0 : 1,
            paper: `paper ${Math.floor((index * papers) / 40)}`,
          }),
        ),
      );
    const width = (papers: number): number => {
      const [{ pairs }] = pairRuns(run('a', papers, 0), run('b', papers, 20));
      const difference = differenceOf(pairs);
      return difference ? difference.interval.high - difference.interval.low : 0;
    };
    expect(width(4)).toBeGreaterThan(2 * width(40));
  });
});

it.each([
  [0.12, '+0.120'],
  [-0.0312, '−0.031'],
  [-0.0001, '0.000'],
])('writes %d as %s', (value, text) => {
  expect(signed(value)).toBe(text);
});
