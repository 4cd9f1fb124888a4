import { describe, expect, it } from 'vitest';
import { questionIdSchema, type SampleKey } from '../../../domain/ids.js';
import {
  noteCollected,
  noteEnded,
  noteStarted,
  emptyRun,
  runStateSchema,
  type RunState,
} from '../../../domain/runs/run-state.js';
import { noTotals, type EndedQuestion } from '../../../domain/runs/run-totals.js';
import { noUsage } from '../../../domain/usage.js';

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
