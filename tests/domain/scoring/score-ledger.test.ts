// cspell:ignore categorie
import { describe, expect, it } from 'vitest';
import { epochScores, estimateOf, type Cluster } from '../../../domain/scoring/score-estimate.js';
import {
  groupScores,
  headlinesOf,
  requireFields,
  scoreLedger,
} from '../../../domain/scoring/score-ledger.js';
import {
  answersOf,
  outcomeOf,
  verdictOf,
  type GoldItem,
  type RunAnswer,
} from '../../../domain/scoring/answer.js';
import { wilsonInterval } from '../../../domain/statistics/intervals.js';
import { exampleEnd, sampleKey } from '../../support/runs/example-records.js';
import fc from '../../support/arbitrary/fast-check.js';
import { runAnswer } from '../../support/runs/run-answer.js';

const headlineOf = (of: Parameters<typeof headlinesOf>[0]) => headlinesOf(of)[0];

const samples = (verdicts: readonly Parameters<typeof runAnswer>[0]['verdict'][]) =>
  verdicts.map((verdict, index) => runAnswer({ uuid: `q${index}`, verdict }));

describe('a run of which 10 % failed for outside reasons and for 5 % of which the judge was unreadable', () => {
  const judged = Array.from({ length: 170 }, (_, index) => (index % 5 === 0 ? 0 : 1));
  const run = samples([
    ...judged,
    ...Array.from({ length: 20 }, () => 'outside-failure' as const),
    ...Array.from({ length: 10 }, () => 'judge-unreadable' as const),
  ]);

  it('has the headline it would have without them', () => {
    expect(headlineOf(run).score).toEqual(headlineOf(samples(judged)).score);
    expect(headlineOf(run).score).toMatchObject({ mean: 0.8, method: 'wilson' });
  });

  it('says how many are missing, why, and what they could have made of it', () => {
    const {
      headlines: [headline],
      verdicts,
    } = scoreLedger(run);
    expect(headline).toMatchObject({ samples: 200, scorable: 200, scored: 170, unresolved: 30 });
    expect(verdicts).toEqual({ scored: 170, 'outside-failure': 20, 'judge-unreadable': 10 });
    expect(headline.bounds).toEqual({ worst: 136 / 200, best: 166 / 200 });
  });
});

describe('headlineOf', () => {
  it('counts what has not ended as unresolved, and what names no evaluator not at all', () => {
    expect(headlineOf(samples([1, null, 'no-evaluator']))).toMatchObject({
      samples: 3,
      scorable: 2,
      scored: 1,
      unresolved: 1,
      bounds: { worst: 0.5, best: 1 },
    });
  });

  it('misses no score of what names no evaluator, however it ended', () => {
    const item = { evaluator: undefined };
    const failed = runAnswer({ uuid: 'f', verdict: 'outside-failure', item });
    const open = runAnswer({ uuid: 'o', verdict: null, item });
    expect(headlineOf([...samples([1]), failed, open])).toMatchObject({
      samples: 3,
      scorable: 1,
      unresolved: 0,
      bounds: { worst: 1, best: 1 },
    });
  });

  it('promises nothing where nothing was scored', () => {
    expect(headlineOf(samples(['no-evaluator']))).toMatchObject({ score: null, bounds: null });
    expect(headlineOf([])).toMatchObject({ samples: 0, score: null, bounds: null });
  });
});

it('refuses a field that no question has, and none that some have', () => {
  const answers = [
    runAnswer({ uuid: 'a', verdict: 1, item: { category: 'conclusive' } }),
    runAnswer({ uuid: 'b', verdict: 0 }),
  ];
  requireFields(answers, ['category', 'tags', 'evaluator.eval_func', 'answered by']);
  expect(() => requireFields(answers, ['categorie'])).toThrow(
    "no question has a field 'categorie' (did you mean category?)",
  );
  expect(() => requireFields(answers, ['category.deeper'])).toThrow('no question has a field');
});

describe('estimateOf', () => {
  const question = (id: string): Cluster => ({ unit: 'question', id });
  const paper = (id: number): Cluster => ({ unit: 'paper', id: String(id) });
  const each = (...scores: number[]) =>
    scores.map((score, index) => ({ score, cluster: question(`q${index}`) }));

  it('takes right and wrong answers of unrelated questions for trials', () => {
    expect(estimateOf(each(1, 1, 0))).toMatchObject({
      method: 'wilson',
      interval: wilsonInterval(2, 3),
    });
  });

  it('takes the spread between clusters where there is partial credit, and stays within 0 and 1', () => {
    expect(estimateOf(each(1, 0.5, 1))).toMatchObject({
      method: 'cluster-robust',
      interval: { high: 1 },
    });
  });

  it('leaves room for clusters that it may have missed where none differ, but for rounding', () => {
    const third = [1, 2].flatMap((id) => [0, 0, 1].map((score) => ({ score, cluster: paper(id) })));
    for (const scores of [each(0.7, 0.7, 0.7), third]) {
      const estimate = estimateOf(scores);
      if (estimate === null) throw new Error('there are scores');
      const { mean, interval } = estimate;
      const missed = 1 - 0.025 ** (1 / estimate.clusters);
      expect(estimate).toMatchObject({ method: 'cluster-robust', standardError: 0 });
      expect(interval.low).toBeCloseTo(mean - missed * mean, 12);
      expect(interval.high).toBeCloseTo(mean + missed * (1 - mean), 12);
    }
  });

  it('is less sure of questions that share a paper', () => {
    const scores = Array.from({ length: 40 }, (_, index) => (index < 20 ? 1 : 0));
    const width = (papers: number): number => {
      const estimate = estimateOf(
        scores.map((score, index) => ({
          score,
          cluster: paper(Math.floor((index * papers) / 40)),
        })),
      );
      return estimate ? estimate.interval.high - estimate.interval.low : 0;
    };
    expect(width(10)).toBeGreaterThan(1.5 * width(40));
  });

  it('knows little from one cluster, and nothing from none', () => {
    const one = [
      { score: 1, cluster: paper(1) },
      { score: 0, cluster: paper(1) },
    ];
    expect(estimateOf(one)).toMatchObject({
      standardError: null,
      interval: { low: 0, high: 1 },
    });
    expect(estimateOf([])).toBeNull();
  });
});

describe('groupScores', () => {
  const run = [
    runAnswer({ uuid: 'a', verdict: 1, item: { tags: ['text', 'table'], year: 2024 } }),
    runAnswer({ uuid: 'b', verdict: 0, item: { tags: ['text'], from: { venue: 'acl' } } }),
    runAnswer({ uuid: 'c', verdict: 'outside-failure', item: { tags: ['table'], year: 2024 } }),
  ];
  const means = (field: string) =>
    groupScores(run, field).map(({ group, score, scored, scorable }) => [
      group,
      score?.mean ?? null,
      scored,
      scorable,
    ]);

  it('counts a sample under each of its tags', () => {
    expect(means('tags')).toEqual([
      ['text', 0.5, 2, 2],
      ['table', 1, 1, 2],
    ]);
  });

  it('groups by the upstream that gave all replies, and tells those that several answered', () => {
    const by = (uuid: string, verdict: number, ...providers: readonly string[]): RunAnswer => {
      const answer = runAnswer({ uuid, verdict });
      const answeredBy = providers.map((provider) => ({ model: 'm', provider, replies: 1 }));
      return { ...answer, result: answer.result && { ...answer.result, answeredBy } };
    };
    const answers = [by('a', 1, 'One'), by('b', 0, 'One'), by('c', 1, 'Two', 'One'), by('d', 1)];
    const { groups } = scoreLedger(answers);
    expect(groups.find(({ field }) => field === 'answered by')?.scores).toMatchObject([
      { group: 'm by One', score: { mean: 0.5 } },
      { group: 'several', score: { mean: 1 } },
    ]);
  });

  it('groups by any field, also one inside another, and keeps those without it', () => {
    expect(means('year')).toEqual([
      ['2024', 1, 1, 2],
      ['(none)', 0, 1, 1],
    ]);
    expect(means('from.venue')).toEqual([
      ['(none)', 1, 1, 2],
      ['acl', 0, 1, 1],
    ]);
    expect(means('evaluator.eval_func')).toEqual([['eval_bool_exact_match', 0.5, 2, 3]]);
  });
});

describe('epochScores', () => {
  const epochs = (uuid: string, ...scores: (number | null)[]) =>
    scores.map((verdict, index) => runAnswer({ uuid, epoch: index + 1, verdict }));

  it('gives the chance of a right answer in k attempts, and how far epochs differ', () => {
    const scores = epochScores([...epochs('a', 1, 0, 0, 1), ...epochs('b', 1, 1, 1, 1)]);
    expect(scores?.passAt.map(({ k, chance }) => [k, chance.mean])).toEqual([
      [1, 0.75],
      [2, (1 - 1 / 6 + 1) / 2],
      [4, 1],
    ]);
    expect(scores).toMatchObject({ epochs: 4, varyingQuestions: 1 });
    expect(scores?.withinQuestionVariance).toBeCloseTo(1 / 6, 12);
  });

  it('leaves out questions with fewer scores than attempts', () => {
    const scores = epochScores([...epochs('a', 1, null), ...epochs('b', 0, 1)]);
    expect(scores?.passAt.map(({ k, questions }) => [k, questions])).toEqual([
      [1, 2],
      [2, 1],
    ]);
  });

  it('is nothing where every question was asked once', () => {
    expect(epochScores(epochs('a', 1))).toBeNull();
  });
});

it('puts a run’s items, results and scores together, those without an end as well', () => {
  const { result, score } = exampleEnd(sampleKey('a'));
  const [item] = samples([1]).map((sample) => ({ ...sample.item, uuid: result.uuid }));
  if (!item) throw new Error('one item was made');
  const both = answersOf({ items: [item], epochs: 2, results: [result], scores: [score] });
  expect(both.map((each) => [each.epoch, outcomeOf(each), verdictOf(each)?.kind])).toEqual([
    [1, 'answered', 'unscored'],
    [2, null, undefined],
  ]);
});

it('survives JSON', () => {
  const ledger = scoreLedger(samples([1, 0.5, null, 'outside-failure']), ['year']);
  expect(JSON.parse(JSON.stringify(ledger))).toEqual(ledger);
});

describe('what the ledger counts', () => {
  const evaluatorOfGold = (gold: bigint) => ({
    eval_func: 'eval_int_exact_match',
    eval_kwargs: { gold },
  });
  const own = (answer: RunAnswer, scorer: string): RunAnswer => ({
    ...answer,
    score: answer.score && { ...answer.score, scorer },
  });
  const long: Partial<GoldItem> = {
    evaluator: undefined,
    category: 'interpretive',
    referenceAnswer: 'It sells.',
  };

  it('is by the scorer of each score, and not by what the item would be scored by', () => {
    const answers = [
      own(runAnswer({ uuid: 'a', verdict: 1, item: { evaluator: undefined } }), 'mine'),
      own(runAnswer({ uuid: 'b', verdict: 0.5, item: long }), 'mine'),
      own(runAnswer({ uuid: 'c', verdict: 0 }), 'mine'),
    ];
    expect(headlinesOf(answers)).toMatchObject([
      { scale: 'unit', scorable: 3, scored: 3, score: { mean: 0.5 } },
    ]);
    expect(groupScores(answers, 'evaluator.eval_func')).toMatchObject([{ group: 'mine' }]);
  });

  it('groups by integers of any size', () => {
    const item = { number: 9007199254740993n, evaluator: evaluatorOfGold(9007199254740993n) };
    expect(groupScores([runAnswer({ uuid: 'a', verdict: 1, item })], 'number')).toMatchObject([
      { group: '9007199254740993' },
    ]);
  });

  it('adds up: all headlines together have as many scores as are stored', () => {
    const answer = fc.record({
      verdict: fc.constantFrom(0, 0.25, 1, 'judge-empty' as const, 'no-evaluator' as const, null),
      item: fc.constantFrom<Partial<GoldItem>>({}, long, { evaluator: undefined }),
      scorer: fc.constantFrom(null, 'mine', 'eval_long_form_grade'),
    });
    fc.assert(
      fc.property(fc.array(answer, { maxLength: 20 }), (drawn) => {
        const answers = drawn.map(({ verdict, item, scorer }, index) => {
          const made = runAnswer({ uuid: `q${index}`, verdict, item });
          return scorer === null || verdict === 'no-evaluator' ? made : own(made, scorer);
        });
        const stored = answers.filter(({ score }) => score?.scorer != null && score.score !== null);
        const headlines = headlinesOf(answers);
        expect(headlines.reduce((all, { scored }) => all + scored, 0)).toBe(stored.length);
        expect(headlines.reduce((all, each) => all + each.samples, 0)).toBe(answers.length);
      }),
    );
  });
});
