import { describe, expect, it } from 'vitest';
import { comparisonWords, signed } from '../../../client/views/sections/comparison.js';
import {
  compareRuns,
  couldDecide,
  pairRuns,
  type ComparedRun,
} from '../../../domain/runs/compare-runs.js';
import type { RunManifest } from '../../../domain/runs/run-manifest.js';
import { mcnemarExact } from '../../../domain/statistics/intervals.js';
import { comparedRun } from '../../support/runs/compared-run.js';
import { exampleManifest } from '../../support/runs/example-manifest.js';
import { runAnswer } from '../../support/runs/run-answer.js';

type Verdicts = readonly Parameters<typeof runAnswer>[0]['verdict'][];

const runOf = (run: string, verdicts: Verdicts): ComparedRun =>
  comparedRun(
    run,
    verdicts.map((verdict, index) => runAnswer({ uuid: `q${index}`, verdict })),
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
  it('calls a run worse or better where the exact test and the interval agree', () => {
    const right = times(40, 1);
    const fewer = [...times(12, 0), ...times(28, 1)];
    const { candidate, words } = compareTwo(right, fewer);
    expect(candidate).toMatchObject({
      verdict: 'worse',
      difference: { questions: 40, better: 0, worse: 12, mean: -0.3, p: mcnemarExact(0, 12) },
    });
    expect(words).toMatch(
      /^b is worse than a: −0\.300, 95 % between −0\.\d+ and −0\.\d+, p below 0\.001 by 40 questions$/,
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
      /^not decisive: b scores higher than a \(\+0\.100, .*p = 0\.625 by 20 questions\), which may be due to chance; 20 questions rarely show a difference below 0\.3\d\d$/,
    );
  });

  it('is not decisive about runs that are alike, however few questions there are', () => {
    const { candidate, words } = compareTwo(times(10, 1), times(10, 1));
    expect(candidate).toMatchObject({
      verdict: 'not-decisive',
      flips: [],
      difference: { mean: 0, p: 1, smallestDetectable: 0.6 },
    });
    expect(words).toMatch(
      /^no difference: b scores the same as a \(0\.000, 95 % between −0\.308 and \+0\.308/,
    );
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
    expect(words).toContain('; 10 questions without a score in both could overturn it');
  });

  it('decides nothing by the questions of one paper, which are one trial', () => {
    const of = (run: string, verdict: number): ComparedRun =>
      comparedRun(
        run,
        times(40, verdict).map((one, index) =>
          runAnswer({ uuid: `q${index}`, verdict: one, paper: 'p' }),
        ),
      );
    const [candidate] = compareRuns(of('a', 0), [of('b', 1)]).candidates;
    expect(candidate).toMatchObject({
      verdict: 'too-few',
      difference: { mean: 1, interval: { low: -1, high: 1 }, p: 1, smallestDetectable: 1 },
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
      verdicts.map((verdict, index) => runAnswer({ uuid: `q${index}`, verdict }));
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
        runAnswer({
          uuid: `q${index}`,
          verdict,
          item: { tags: index === 0 ? ['text', 'table'] : ['text'] },
        }),
      );
    const [candidate] = compareRuns(
      comparedRun('a', tagged(1, 1)),
      [comparedRun('b', tagged(0, 1))],
      ['tags'],
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
    const by = (run: string, provider: string): ComparedRun =>
      comparedRun(run, runOf(run, [1]).answers, () => ({
        answeredBy: [{ model: 'm', provider, replies: 2 }],
      }));
    expect(compareRuns(by('a', 'One'), [by('b', 'Two')]).remarks).toEqual([
      'a was answered by m by One, b by m by Two',
    ]);
    expect(compareRuns(by('a', 'One'), [by('b', 'One')]).remarks).toEqual([]);
  });

  it('remarks that several models answered a run', () => {
    const mixed = comparedRun('b', runOf('b', [1, 1]).answers, ({ uuid }) => ({
      answeredBy: [{ model: uuid === 'q0' ? 'm' : 'n', replies: 2 }],
    }));
    expect(compareRuns(mixed, [mixed]).remarks).toEqual([
      'b: Answered by 2 different upstreams: m (2 replies), n (2 replies). Their scores may differ.',
    ]);
  });

  it('remarks once on what makes runs less comparable', () => {
    const other = { eval_func: 'eval_int_exact_match', eval_kwargs: { gold: 1 } };
    const changed = comparedRun('b', [
      runAnswer({ uuid: 'q0', verdict: 1, item: { evaluator: other } }),
    ]);
    const { remarks } = compareRuns({ ...runOf('a', [1]), ended: false }, [
      { ...changed, scorer: 'strict scorer' },
      runOf('c', [1]),
    ]);
    expect(remarks).toEqual([
      'a has scores of the default scorer, b of the strict scorer: `turnwise score` makes them alike',
      '1 question has another evaluator in b',
      'a has not ended: what it has so far is compared',
    ]);
  });

  it('claims nothing of runs that different scorers have scored', () => {
    const [none, all] = [runOf('a', times(20, 0)), runOf('b', times(20, 1))];
    expect(compareRuns(none, [all]).candidates).toMatchObject([{ verdict: 'better' }]);
    const { candidates } = compareRuns(none, [{ ...all, scorer: 'strict scorer' }]);
    expect(candidates).toMatchObject([{ verdict: 'other-scorer', difference: { mean: 1 } }]);
    expect(couldDecide(candidates)).toBe(false);
    expect(candidates.map((each) => comparisonWords('a', each))).toEqual([
      expect.stringMatching(
        /^no verdict, since they have scores of different scorers: b against a/,
      ),
    ]);
  });

  it('survives JSON', () => {
    const comparison = compareRuns(runOf('a', [1, 0, null]), [runOf('b', [0, 0.5, 1])], ['tags']);
    expect(JSON.parse(JSON.stringify(comparison))).toEqual(comparison);
  });
});

describe('pairRuns', () => {
  it('pairs by uuid and epoch, and counts what has no partner', () => {
    const epochs = (...keys: (readonly [string, number])[]) =>
      keys.map(([uuid, epoch]) => runAnswer({ uuid, epoch, verdict: 1 }));
    const [{ pairs, unpaired, unscored }] = pairRuns(
      comparedRun('a', epochs(['x', 1], ['x', 2], ['y', 1])),
      comparedRun('b', epochs(['x', 2], ['x', 1], ['z', 1])),
    );
    expect(pairs.map(({ baseline: { uuid, epoch } }) => [uuid, epoch])).toEqual([
      ['x', 1],
      ['x', 2],
    ]);
    expect({ unpaired, unscored }).toEqual({ unpaired: 2, unscored: 0 });
  });
});

describe('the clusters of a comparison', () => {
  const differenceBetween = (before: ComparedRun, after: ComparedRun) => {
    const [candidate] = compareRuns(before, [after]).candidates;
    if (!candidate?.difference) throw new Error('the runs have questions in common');
    return candidate.difference;
  };

  it('take the epochs of a question for one trial', () => {
    const epochs = (...verdicts: number[]) =>
      verdicts.map((verdict, index) => runAnswer({ uuid: 'x', epoch: index + 1, verdict }));
    expect(
      differenceBetween(
        comparedRun('a', epochs(1, 1, 1, 1, 1, 1, 1)),
        comparedRun('b', epochs(0, 0, 0, 0, 0, 0, 1)),
      ),
    ).toMatchObject({ questions: 1, better: 0, worse: 1, p: 1 });
  });

  /** 40 questions of so many papers or databases. */
  const run = (
    name: string,
    verdictOf: (index: number) => number,
    itemOf: (index: number) => Parameters<typeof runAnswer>[0]['item'],
  ) =>
    comparedRun(
      name,
      Array.from({ length: 40 }, (_, index) =>
        runAnswer({ uuid: `q${index}`, verdict: verdictOf(index), item: itemOf(index) ?? {} }),
      ),
    );
  const ofPapers = (count: number) => (index: number) => ({
    anchor_pdf: [`paper ${Math.floor((index * count) / 40)}`],
  });

  it('are papers: related questions show less', () => {
    const width = (papers: number): number => {
      const { interval } = differenceBetween(
        run('a', () => 1, ofPapers(papers)),
        run('b', (index) => (index < 20 ? 0 : 1), ofPapers(papers)),
      );
      return interval.high - interval.low;
    };
    expect(width(8)).toBeGreaterThan(2 * width(40));
  });

  it('are databases where questions are about databases, for the exact test, too', () => {
    const item = (index: number) => ({ database: { path: `${index % 8}.csv` } });
    expect(
      differenceBetween(
        run('a', () => 0, item),
        run('b', () => 1, item),
      ),
    ).toMatchObject({ clusters: 8, clustersAre: 'databases', better: 40, p: mcnemarExact(8, 0) });
  });

  it('are too few to decide below six, whatever the scores say', () => {
    const compared = (papers: number) =>
      compareRuns(
        run('a', () => 0, ofPapers(papers)),
        [run('b', () => 1, ofPapers(papers))],
      );
    expect(compared(5).candidates).toMatchObject([{ verdict: 'too-few' }]);
    expect(couldDecide(compared(5).candidates)).toBe(false);
    expect(compared(6).candidates).toMatchObject([{ verdict: 'better' }]);
    expect(couldDecide(compared(6).candidates)).toBe(true);
  });
});

describe('rounding', () => {
  it('makes no difference: the same grades in another order of epochs are equal', () => {
    const grades = [0.1, 0.2, 0.7];
    const run = (name: string, order: readonly number[]) =>
      comparedRun(
        name,
        Array.from({ length: 8 }, (_, question) =>
          order.map((at, index) =>
            runAnswer({ uuid: `q${question}`, epoch: index + 1, verdict: grades[at] ?? 0 }),
          ),
        ).flat(),
      );
    const [candidate] = compareRuns(run('a', [0, 1, 2]), [run('b', [2, 1, 0])]).candidates;
    expect(candidate).toMatchObject({
      verdict: 'not-decisive',
      difference: { mean: 0, better: 0, worse: 0, p: 1 },
    });
  });
});

describe('what two runs have in common', () => {
  const remarksOn = (config: Partial<RunManifest['config']>): readonly string[] => {
    const [a, b] = [runOf('a', [1]), runOf('b', [1])];
    const manifest = exampleManifest();
    const changed = { ...manifest, config: { ...manifest.config, ...config } };
    return compareRuns({ ...a, manifest }, [{ ...b, manifest: changed }]).remarks;
  };

  it('is said where they differ in their settings', () => {
    expect(remarksOn({ maxTurns: 3, strict: true, shownResults: { rows: 9, tokens: 50 } })).toEqual(
      [
        'b differs from a in maxTurns (20 → 3), strict (false → true), shownResults: rows (50 → 9), shownResults: tokens (4000 → 50)',
      ],
    );
  });

  it('is said of the address of the model, by its host only', () => {
    const { model } = exampleManifest().config;
    const baseUrl = 'https://user:secret@other.example/v1?key=secret';
    expect(remarksOn({ model: { ...model, baseUrl } })).toEqual([
      expect.stringMatching(/^b differs from a in address of the model \(\S+ → other\.example\)$/),
    ]);
  });

  it('is said of a dataset and a store by name and content', () => {
    const [a, b] = [runOf('a', [1]), runOf('b', [1])];
    const manifest = exampleManifest();
    const changed = {
      ...manifest,
      dataset: { ...manifest.dataset, path: 'd/more.jsonl', fingerprint: 'a1'.repeat(32) },
      store: { ...manifest.store, fingerprint: 'b2'.repeat(32) },
    };
    expect(compareRuns({ ...a, manifest }, [{ ...b, manifest: changed }]).remarks).toEqual([
      'b differs from a in dataset (questions.jsonl d1 → more.jsonl a1a1a1a1), store (papers s1 → papers b2b2b2b2)',
    ]);
  });

  it.each(Object.entries(exampleManifest().config))(
    'is told of %s, unless it changes no answer',
    (key, value) => {
      const { model } = exampleManifest().config;
      const plugin = { path: 'a.ts', sha256: 'a', scorers: [], actions: ['Act'], methods: {} };
      const others: Readonly<Record<string, unknown>> = {
        [key]: typeof value === 'boolean' ? !value : 'another',
        ...(key === 'model' && { model: { ...model, seed: 7 } }),
        ...(key === 'plugins' && { plugins: [plugin] }),
      };
      const changesNone = ['modelAttempts', 'concurrency', 'warmFirst', 'budget', 'onFailure'];
      const isTold = ![...changesNone, 'holdAfter', 'judging'].includes(key);
      expect(remarksOn({ [key]: others[key] })).toHaveLength(isTold ? 1 : 0);
    },
  );

  it('is no question that only shares its id', () => {
    const of = (run: string, question: string) =>
      comparedRun(run, [runAnswer({ uuid: 'q1', verdict: 1, item: { question } })]);
    const { candidates, remarks } = compareRuns(of('a', 'How many?'), [of('b', 'Where?')]);
    expect(candidates).toMatchObject([{ verdict: 'not-comparable', pairs: 0, unpaired: 2 }]);
    expect(remarks).toEqual(['1 question of b has another text in a and is not compared']);
  });

  it('is too little for --fail-if where most answers lack a score', () => {
    const few = [...times(8, 1), ...times(10, 'judge-unreadable' as const)];
    expect(couldDecide(compareRuns(runOf('a', times(18, 1)), [runOf('b', few)]).candidates)).toBe(
      false,
    );
  });
});

it.each([
  [0.12, '+0.120'],
  [-0.0312, '−0.031'],
  [-0.0001, '0.000'],
])('writes %d as %s', (value, text) => {
  expect(signed(value)).toBe(text);
});
