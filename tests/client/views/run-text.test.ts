import { describe, expect, it } from 'vitest';
import type { RunLive } from '../../../domain/runs/run-status.js';
import { runLiveLines, runLiveState } from '../../../client/views/run-text.js';
import { runProgress } from '../../../domain/runs/run-progress.js';
import {
  emptyRun,
  recordStarted,
  recordWaiting,
  type RunState,
  type WaitingQuestion,
} from '../../../domain/runs/run-state.js';
import type { SlowQuestion } from '../../../domain/runs/slow-question.js';
import { exampleManifest } from '../../support/runs/example-manifest.js';
import { sampleKey } from '../../support/runs/example-records.js';

const { run } = exampleManifest();
const begun = recordStarted(
  { ...emptyRun, samples: 9 },
  ['a', 'b', 'c'].map((name) => sampleKey(name)),
);
const openWith = (state: RunState, stuck: readonly SlowQuestion[] = []): RunLive => ({
  kind: 'open',
  progress: runProgress(state, 3),
  stuck,
});
const waits = (reason: WaitingQuestion['reason'], until: number | null): WaitingQuestion => ({
  ...sampleKey('a'),
  reason,
  message: 'why',
  until,
  need: null,
});
const stuck: SlowQuestion = {
  ...sampleKey('b'),
  turns: 2,
  movedAtMs: 0,
  doing: { kind: 'works', activity: 'askModel', told: 'calls the model' },
};

describe('runLiveState', () => {
  it.each<[string, RunLive, RegExp]>([
    ['without services', { kind: 'no-services' }, /no services run: `turnwise up`/],
    ['that is not open', { kind: 'not-open' }, /--run a-run continues it/],
    ['without a worker', { kind: 'silent', workers: 0 }, /no worker runs: .*`turnwise worker`/],
    [
      'whose workers are busy',
      { kind: 'silent', workers: 2 },
      /workers run, but none has answered/,
    ],
    ['running', openWith(begun), /^running · 0 of 9 questions ended · 3 in flight/],
  ])('of a run %s', (_name, live, state) => expect(runLiveState(run, live)).toMatch(state));
});

describe('runLiveLines', () => {
  const at = { turnMs: 2000, nowMs: 90_000 };

  it('show only the hold of a held run', () => {
    expect(runLiveLines(run, openWith({ ...begun, paused: true }, [stuck]), at)).toEqual([
      'paused: `turnwise resume a-run` continues it',
    ]);
    expect(runLiveLines(run, { kind: 'not-open' }, at)).toEqual([]);
  });

  it('show why some questions wait, and the commands that help', () => {
    const spent = recordWaiting(begun, waits('retries-exhausted', null));
    expect(runLiveLines(run, openWith(spent), at)).toEqual([
      '1 waiting: all tries have failed (why); `turnwise resume a-run` retries them',
    ]);
    const limited = recordWaiting(begun, waits('rate-limit', 0));
    expect(runLiveLines(run, openWith(limited), at)).toEqual([
      expect.stringMatching(/they retry at 1970-01-01T00:00:00.000Z at the latest, or at once/),
    ]);
  });

  it('name the questions that are stuck, and the commands that help', () => {
    expect(runLiveLines(run, openWith(begun, [stuck]), at)).toEqual([
      'no progress for a long time in; a turn usually takes 2.0 s:',
      '  b after turn 2, for 2 min: calls the model',
      '`turnwise skip a-run QUESTION` ends one of them, and `turnwise retry a-run --question QUESTION` then asks it again',
    ]);
  });
});
