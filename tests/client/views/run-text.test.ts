import { describe, expect, it } from 'vitest';
import type { RunSnapshot, StoredRun } from '../../../client/runs/status/run-snapshot.js';
import { runProgress, type LiveState } from '../../../domain/runs/run-progress.js';
import { runLiveLines, runStateText } from '../../../client/views/run-text.js';
import {
  emptyRun,
  recordStarted,
  recordWaiting,
  type RunState,
  type WaitingQuestion,
} from '../../../domain/runs/run-state.js';
import type { SlowQuestion } from '../../../domain/runs/workflow-details.js';
import { exampleManifest } from '../../support/runs/example-manifest.js';
import { sampleKey } from '../../support/runs/example-records.js';

const { run } = exampleManifest();
const begun = recordStarted(
  { ...emptyRun, samples: 9 },
  ['a', 'b', 'c'].map((name) => sampleKey(name)),
);
const openWith = (state: RunState, slow: readonly SlowQuestion[] = []): LiveState => ({
  kind: 'open',
  progress: runProgress(state, 3),
  slow,
});
const waits = (reason: WaitingQuestion['reason'], until: number | null): WaitingQuestion => ({
  ...sampleKey('a'),
  reason,
  message: 'why',
  until,
  need: null,
  failure: reason === 'outage' ? 'ModelUnavailable' : null,
});
const stuck: SlowQuestion = {
  ...sampleKey('b'),
  turns: 2,
  movedAtMs: 0,
  doing: { kind: 'works', activity: 'askModel', told: 'calls the model' },
};

describe('runStateText', () => {
  it.each<[string, LiveState, RegExp]>([
    ['without services', { kind: 'no-services' }, /^stopped: no services run; `turnwise up`/],
    ['that is not open', { kind: 'not-open' }, /^stopped: .*--run a-run continues it/],
    [
      'without a worker',
      { kind: 'silent', workers: 0 },
      /^stopped: no worker runs; .*`turnwise worker`/,
    ],
    [
      'whose workers are busy',
      { kind: 'silent', workers: 2 },
      /^waiting: workers run, but none has answered/,
    ],
    ['running', openWith(begun), /^running · 0 of 9 questions ended · 3 in flight/],
  ])('of a run %s', (_name, live, state) =>
    expect(runStateText(run, 'running', live)).toMatch(state),
  );

  it('of a run that has ended', () => {
    expect(runStateText(run, 'done', null)).toBe('done');
    expect(runStateText(run, 'cancelled', null)).toBe('stopped: cancelled');
  });
});

describe('runLiveLines', () => {
  const snapshotOf = (live: LiveState): RunSnapshot => ({
    run,
    takenAtMs: 90_000,
    // The lines are made of nothing else of it.
    stored: { turnMs: 2000 } as StoredRun,
    live,
    accounts: [],
  });

  it('say why nothing goes on, and nothing more', () => {
    expect(runLiveLines(snapshotOf(openWith({ ...begun, paused: true }, [stuck])))).toEqual([
      'paused: `turnwise resume a-run` continues it',
    ]);
    expect(runLiveLines(snapshotOf({ kind: 'not-open' }))).toEqual([]);
  });

  it('say what some wait for while others go on, and what can be done about it', () => {
    const spent = recordWaiting(begun, waits('outage', null));
    expect(runLiveLines(snapshotOf(openWith(spent)))).toEqual([
      'a question waits: why. It goes on by itself when that works, which is tried again and again; `turnwise resume a-run` tries at once',
    ]);
    const limited = recordWaiting(begun, waits('rate-limit', 0));
    expect(runLiveLines(snapshotOf(openWith(limited)))).toEqual([
      expect.stringMatching(/they retry at 1970-01-01T00:00:00.000Z at the latest, or at once/),
    ]);
  });

  it('name the questions that are stuck, and what can be done about them', () => {
    expect(runLiveLines(snapshotOf(openWith(begun, [stuck])))).toEqual([
      'no progress for a long time in; a turn usually takes 2.0 s:',
      '  b after turn 2, for 2 min: calls the model',
      '`turnwise cancel a-run QUESTION` ends one of them, and `turnwise retry a-run --question QUESTION` then asks it again',
    ]);
  });
});
