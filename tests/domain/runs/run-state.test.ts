import { describe, expect, it } from 'vitest';
import { questionIdSchema, type SampleKey } from '../../../domain/ids.js';
import {
  emptyRun,
  heldBy,
  isParked,
  noteCollected,
  noteEnded,
  noteGoesOn,
  noteReopened,
  noteStarted,
  noteWaiting,
  runStateSchema,
  type RunState,
  type WaitingQuestion,
} from '../../../domain/runs/run-state.js';
import { noTotals, type EndedQuestion } from '../../../domain/runs/run-totals.js';
import { noUsage } from '../../../domain/models/usage.js';

const key = (uuid: string, epoch = 1): SampleKey => ({ uuid: questionIdSchema.parse(uuid), epoch });
const ended: EndedQuestion = { outcome: 'answered', turns: 3, usage: noUsage, score: 1 };
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
    const started = noteStarted(empty, [key('a'), key('b')]);
    const once = noteEnded(started, key('a'), ended);
    expect(noteEnded(once, key('a'), ended)).toBe(once);
    expect(once).toMatchObject({
      inFlight: [key('b')],
      uncollected: [key('a')],
      totals: { outcomes: { answered: 1 }, turns: 3, scores: { total: 1, scored: 1, unscored: 0 } },
    });
  });

  it('tells the epochs of a question apart', () => {
    const started = noteStarted(empty, [key('a', 1), key('a', 2)]);
    expect(noteEnded(started, key('a', 2), ended).inFlight).toEqual([key('a', 1)]);
  });

  it('keeps what ended during a collection for the next one', () => {
    const started = noteStarted(empty, [key('a'), key('b')]);
    const both = noteEnded(noteEnded(started, key('a'), ended), key('b'), ended);
    expect(noteCollected(both, [key('a')]).uncollected).toEqual([key('b')]);
  });

  it('survives JSON, as continue-as-new requires', () => {
    const state = noteEnded(noteStarted(empty, [key('a'), key('b')]), key('a'), ended);
    expect(runStateSchema.parse(JSON.parse(JSON.stringify(state)))).toEqual(state);
  });
});

describe('a question that waits', () => {
  const waiting = (
    uuid: string,
    reason: WaitingQuestion['reason'],
    until: number | null = null,
  ): WaitingQuestion => ({ ...key(uuid), reason, message: 'no', until, need: null });
  const started = noteStarted(empty, [key('a'), key('b')]);

  it('waits for one thing at a time, and no more once it goes on or has ended', () => {
    const twice = noteWaiting(
      noteWaiting(started, waiting('a', 'budget')),
      waiting('a', 'retries-exhausted'),
    );
    expect(twice.waiting).toMatchObject([{ uuid: 'a', reason: 'retries-exhausted' }]);
    expect(noteGoesOn(twice, [key('a')]).waiting).toEqual([]);
    const over = noteEnded(twice, key('a'), ended);
    expect(over.waiting).toEqual([]);
    expect(noteWaiting(over, waiting('a', 'budget'))).toBe(over);
  });

  it.each<[readonly WaitingQuestion[], ReturnType<typeof heldBy>, boolean]>([
    [[], null, false],
    [[waiting('a', 'budget')], 'budget', false],
    [[waiting('a', 'budget'), waiting('b', 'budget')], 'budget', true],
    [[waiting('a', 'budget'), waiting('b', 'rate-limit', 5)], 'budget', false],
    [[waiting('a', 'quota', 5), waiting('b', 'budget')], 'quota', true],
    [[waiting('a', 'retries-exhausted'), waiting('b', 'retries-exhausted')], null, true],
  ])('%j: held by %s, parked: %s', (all, held, parked) => {
    const state = all.reduce(noteWaiting, started);
    expect(heldBy(state)).toBe(held);
    expect(isParked(state)).toBe(parked);
    expect(heldBy({ ...state, paused: true })).toBe('paused');
    expect(isParked({ ...state, paused: true })).toBe(true);
  });
});

describe('a question that is to be asked again', () => {
  const over = noteEnded(noteStarted(empty, [key('a'), key('b')]), key('a'), ended);

  it('counts no more until it has ended again, and is asked once', () => {
    const again = noteReopened(over, [{ ...key('a'), ended }]);
    expect(again).toMatchObject({ reopened: [key('a')], totals: noTotals });
    const asked = noteStarted(again, [key('a')]);
    expect(asked).toMatchObject({ reopened: [], inFlight: [key('b'), key('a')] });
    expect(noteEnded(asked, key('a'), ended).totals).toEqual(over.totals);
  });

  it('is not listed where it is in flight already', () => {
    const listed = noteStarted(over, [key('a')]);
    expect(noteReopened(listed, [{ ...key('a'), ended }]).reopened).toEqual([]);
  });
});
