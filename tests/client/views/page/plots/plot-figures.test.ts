import { describe, expect, it } from 'vitest';
import { callsInFlight, timeHistogram } from '../../../../../client/views/page/plots/call-plots.js';
import { spendingGroups, turnCounts } from '../../../../../client/views/page/plots/run-plots.js';
import type { Cluster } from '../../../../../domain/scoring/score-estimate.js';
import { reportedRun } from '../../../../support/runs/reported-run.js';
import { runAnswer } from '../../../../support/runs/run-answer.js';

const questionCluster = (at: number): Cluster => ({ unit: 'question', id: String(at) });

describe('calls in flight', () => {
  it('are the highest concurrency in each part of the time', () => {
    const spans = [
      { startMs: 1000, endMs: 1400 },
      { startMs: 1100, endMs: 1250 },
      { startMs: 1800, endMs: 2000 },
    ];
    expect(callsInFlight(spans, 10)).toEqual({
      startMs: 1000,
      stepMs: 100,
      most: [1, 2, 2, 1, 1, 0, 0, 0, 1, 1],
    });
  });

  it('continue through parts in which no call starts or ends', () => {
    const over = callsInFlight([{ startMs: 0, endMs: 1000 }], 4);
    expect(over?.most).toEqual([1, 1, 1, 1]);
  });

  it('do not overlap if one ends as another starts', () => {
    const spans = [
      { startMs: 0, endMs: 500 },
      { startMs: 500, endMs: 1000 },
    ];
    expect(callsInFlight(spans, 2)?.most).toEqual([1, 1]);
  });

  it('are null without calls', () => {
    expect(callsInFlight([], 4)).toBeNull();
  });
});

describe('the histogram of times', () => {
  it('has bins of equal ratio, including empty ones', () => {
    const bins = timeHistogram([1, 1.2, 10, 100]);
    expect(bins).toHaveLength(11);
    expect(bins.map(({ count }) => count)).toEqual([2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
    expect(bins[5]?.fromMs).toBeCloseTo(10);
    expect(bins[5]?.toMs).toBeCloseTo(10 ** 1.2);
  });

  it('counts times below a millisecond as one', () => {
    expect(timeHistogram([0, 0.2]).map(({ fromMs, count }) => [fromMs, count])).toEqual([[1, 2]]);
  });
});

describe('questions by cost', () => {
  it('are in groups of equal size, the cheapest first', () => {
    const questions = Array.from({ length: 20 }, (_, at) => ({
      spent: 20 - at,
      score: at < 10 ? 0 : 1,
      cluster: questionCluster(at),
    }));
    const groups = spendingGroups(questions, 2);
    expect(groups.map(({ questions: count, spent, score }) => [count, spent, score.mean])).toEqual([
      [10, 5.5, 1],
      [10, 15.5, 0],
    ]);
  });

  it('are in fewer groups if there are few questions', () => {
    const of = (count: number) =>
      Array.from({ length: count }, (_, at) => ({
        spent: at,
        score: 1,
        cluster: questionCluster(at),
      }));
    expect([0, 1, 9, 10, 99].map((count) => spendingGroups(of(count), 10).length)).toEqual([
      0, 1, 1, 2, 10,
    ]);
  });
});

it('counts questions by turns and correctness', () => {
  const { answers } = reportedRun(
    [
      runAnswer({ uuid: 'a', verdict: 1 }),
      runAnswer({ uuid: 'b', verdict: 0.5 }),
      runAnswer({ uuid: 'c', verdict: 'needs-judge' }),
      runAnswer({ uuid: 'd', verdict: null }),
    ],
    { result: ({ uuid }) => ({ turns: uuid === 'a' ? 2 : 12 }) },
  );
  expect(turnCounts(answers)).toEqual([
    { turns: 2, correctness: 'right', questions: 1 },
    { turns: 12, correctness: 'not right', questions: 1 },
    { turns: 12, correctness: 'no score', questions: 1 },
  ]);
});
