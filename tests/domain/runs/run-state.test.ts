import { describe, expect, it } from 'vitest';
import { questionIdSchema, type SampleKey } from '../../../domain/ids.js';
import { noCost, noUsage } from '../../../domain/models/usage.js';
import {
  emptyRun,
  heldBy,
  isParked,
  recordCollected,
  recordEnded,
  recordMended,
  recordResumed,
  recordReopened,
  recordStarted,
  recordWaiting,
  runStateSchema,
  type RunState,
  type WaitingQuestion,
} from '../../../domain/runs/run-state.js';
import {
  joinedRanges,
  rangesOf,
  mostRanges,
  type SampleRange,
} from '../../../domain/runs/sample-ranges.js';
import { addEnded, noTotals, type EndedQuestion } from '../../../domain/runs/run-totals.js';

const key = (uuid: string, epoch = 1): SampleKey => ({ uuid: questionIdSchema.parse(uuid), epoch });
const ended: EndedQuestion = {
  outcome: 'answered',
  turns: 3,
  usage: noUsage,
  cost: noCost,
  score: 1,
};
const empty: RunState = {
  ...emptyRun,
  samples: 4,
  offset: 0,
  inFlight: [],
  uncollected: [],
  totals: noTotals,
};

describe('the state of a run', () => {
  it('counts an end once, however often it is reported', () => {
    const started = recordStarted(empty, [key('a'), key('b')]);
    const once = recordEnded(started, key('a'), ended);
    expect(recordEnded(once, key('a'), ended)).toBe(once);
    expect(once).toMatchObject({
      inFlight: [key('b')],
      uncollected: [key('a')],
      totals: { outcomes: { answered: 1 }, turns: 3, scores: { total: 1, scored: 1, unscored: 0 } },
    });
  });

  it('tells the epochs of a question apart', () => {
    const started = recordStarted(empty, [key('a', 1), key('a', 2)]);
    expect(recordEnded(started, key('a', 2), ended).inFlight).toEqual([key('a', 1)]);
  });

  it('keeps what ended during a collection for the next one', () => {
    const started = recordStarted(empty, [key('a'), key('b')]);
    const both = recordEnded(recordEnded(started, key('a'), ended), key('b'), ended);
    expect(recordCollected(both, [key('a')]).uncollected).toEqual([key('b')]);
  });

  it('survives JSON, as continue-as-new requires', () => {
    const state = recordEnded(recordStarted(empty, [key('a'), key('b')]), key('a'), ended);
    expect(runStateSchema.parse(JSON.parse(JSON.stringify(state)))).toEqual(state);
  });
});

describe('a question that waits', () => {
  const waiting = (
    uuid: string,
    reason: WaitingQuestion['reason'],
    until: number | null = null,
  ): WaitingQuestion => ({
    ...key(uuid),
    reason,
    message: 'no',
    until,
    need: null,
    failure: reason === 'outage' ? 'StoreUnavailable' : null,
  });
  const started = recordStarted(empty, [key('a'), key('b')]);

  it('waits for one thing at a time, and no more once it goes on or has ended', () => {
    const twice = recordWaiting(
      recordWaiting(started, waiting('a', 'budget')),
      waiting('a', 'outage'),
    );
    expect(twice.waiting).toMatchObject([{ uuid: 'a', reason: 'outage' }]);
    expect(recordResumed(twice, [key('a')]).waiting).toEqual([]);
    const over = recordEnded(twice, key('a'), ended);
    expect(over.waiting).toEqual([]);
    expect(recordWaiting(over, waiting('a', 'budget'))).toBe(over);
  });

  it.each<[readonly WaitingQuestion[], ReturnType<typeof heldBy>, boolean]>([
    [[], null, false],
    [[waiting('a', 'budget')], 'budget', false],
    [[waiting('a', 'budget'), waiting('b', 'budget')], 'budget', true],
    [[waiting('a', 'budget'), waiting('b', 'rate-limit', 5)], 'budget', false],
    [[waiting('a', 'quota', 5), waiting('b', 'budget')], 'quota', true],
    [[waiting('a', 'outage'), waiting('b', 'outage')], 'outage', false],
    [[waiting('a', 'outage'), waiting('b', 'budget')], 'budget', false],
  ])('%j: held by %s, parked: %s', (all, held, parked) => {
    const state = all.reduce((each, question) => recordWaiting(each, question), {
      ...started,
      holdAfter: 2,
    });
    expect(heldBy(state)).toBe(held);
    expect(isParked(state)).toBe(parked);
    expect(heldBy({ ...state, paused: true })).toBe('paused');
    expect(isParked({ ...state, paused: true })).toBe(true);
  });
});

describe('a run whose first questions end for a reason of its set-up', () => {
  const overflow: EndedQuestion = {
    ...ended,
    outcome: 'context-overflow',
    failure: { type: 'ContextOverflow', message: 'too long' },
  };
  const speechless: EndedQuestion = {
    ...ended,
    outcome: 'unparseable',
    failure: { type: 'Unknown', message: 'no action' },
  };
  const other: EndedQuestion = { ...ended, outcome: 'turn-limit' };
  const after = (...ends: readonly EndedQuestion[]): RunState =>
    ends.reduce(
      (state, end, index) =>
        recordEnded(recordStarted(state, [key(`q${index}`)]), key(`q${index}`), end),
      { ...empty, holdAfter: 2 },
    );

  it.each<[string, readonly EndedQuestion[], ReturnType<typeof heldBy>]>([
    ['all too long', [overflow, overflow], 'failures'],
    ['all without an action', [speechless, speechless], 'failures'],
    ['too few', [overflow], null],
    ['for two reasons', [overflow, speechless, overflow, overflow], null],
    ['once one was answered', [ended, overflow, overflow, overflow], null],
    ['once one ended otherwise', [overflow, other, overflow, overflow], null],
  ])('is held where they are %s', (_, ends, held) => {
    expect(heldBy(after(...ends))).toBe(held);
  });

  it('is held once, and says for which outcome', () => {
    const held = after(overflow, overflow);
    expect(held.failedInRow).toEqual({
      ...{ failure: 'ContextOverflow', message: 'too long', count: 2 },
      outcome: 'context-overflow',
    });
    const resumed = recordStarted(recordMended(held), [key('x'), key('y')]);
    const again = recordEnded(recordEnded(resumed, key('x'), overflow), key('y'), overflow);
    expect(heldBy(again)).toBeNull();
  });
});

describe('questions that are to be asked again', () => {
  const over = recordEnded(recordStarted(empty, [key('a'), key('b')]), key('a'), ended);

  it('count no more until they have ended again', () => {
    const again = recordReopened(over, rangesOf([0]), addEnded(noTotals, ended));
    expect(again).toMatchObject({ reopened: [{ start: 0, end: 1 }], totals: noTotals });
    const asked = recordStarted(again, [key('a')]);
    expect(recordEnded(asked, key('a'), ended).totals).toEqual(over.totals);
  });

  it.each([
    ['each', (index: number) => index],
    ['every other one', (index: number) => index * 2],
    ['scattered ones', (index: number) => (index * 7919 + (index % 13) * 104_729) % 4_000_000],
  ])('fit into one payload, 1,000,000 of them: %s', (_, indexOf) => {
    const millions = 1_000_000;
    const batch = 20_000;
    let state: RunState = {
      ...empty,
      samples: 4 * millions,
      totals: {
        ...noTotals,
        outcomes: { answered: millions },
        turns: 3 * millions,
        scores: { total: millions, scored: millions, unscored: 0 },
      },
    };
    for (let first = 0; first < millions; first += batch) {
      const indices = Array.from({ length: batch }, (_, place) => indexOf(first + place));
      const ends = indices.map(() => ended).reduce(addEnded, noTotals);
      state = recordReopened(state, joinedRanges([], rangesOf(indices)), ends);
    }
    expect(JSON.stringify(state).length).toBeLessThan(1500);
    expect(runStateSchema.parse(JSON.parse(JSON.stringify(state)))).toEqual(state);
    for (let place = 0; place < millions; place += 9973) {
      const index = indexOf(place);
      expect(state.reopened.some(({ start, end }) => start <= index && index < end)).toBe(true);
    }
  });
});

const ranges = (...pairs: readonly (readonly [number, number])[]): readonly SampleRange[] =>
  pairs.map(([start, end]) => ({ start, end }));

it.each([
  [ranges(), ranges([3, 5]), ranges([3, 5])],
  [ranges([3, 5]), ranges([0, 1]), ranges([0, 1], [3, 5])],
  [ranges([3, 5]), ranges([5, 6]), ranges([3, 6])],
  [ranges([3, 9]), ranges([4, 5]), ranges([3, 9])],
  [ranges([3, 5]), ranges([7, 7]), ranges([3, 5])],
])('joins %j and %j', (some, others, joined) => {
  expect(joinedRanges(some, others)).toEqual(joined);
});

it('makes ranges of indices in any order, each once', () => {
  expect(joinedRanges([], rangesOf([7, 2, 3, 1, 3]))).toEqual(ranges([1, 4], [7, 8]));
});

it('closes the smallest gaps where there are too many ranges', () => {
  const far = Array.from({ length: mostRanges }, (_, index) => index * 100);
  const joined = joinedRanges([], rangesOf([...far, 503]));
  expect(joined).toHaveLength(mostRanges);
  expect(joined).toContainEqual({ start: 500, end: 504 });
  expect(joined.at(-1)).toEqual({ start: 2300, end: 2301 });
});
