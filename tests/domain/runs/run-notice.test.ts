import { describe, expect, it } from 'vitest';
import { eventOf, reasonOf } from '../../../domain/runs/run-notice.js';
import { runSummary } from '../../../domain/runs/run-progress.js';
import { emptyRun, type RunState, type WaitingQuestion } from '../../../domain/runs/run-state.js';
import { sampleKey } from '../../support/runs/example-records.js';

const waits = (uuid: string, reason: WaitingQuestion['reason']): WaitingQuestion => ({
  ...sampleKey(uuid),
  ...{ reason, message: `${uuid} waits: ${reason}`, until: null, need: null, failure: null },
});
const [a, b] = [sampleKey('a'), sampleKey('b')];

describe('what a webhook is told of a run', () => {
  it.each<[string, Partial<RunState>, ReturnType<typeof eventOf>, string]>([
    ['nothing while it goes on', { inFlight: [a] }, null, ''],
    [
      'nothing while some of it goes on',
      { inFlight: [a, b], waiting: [waits('a', 'rate-limit')] },
      null,
      'a waits: rate-limit',
    ],
    [
      'that all of it waits',
      { inFlight: [a], waiting: [waits('a', 'rate-limit')] },
      'waiting',
      'a waits: rate-limit',
    ],
    [
      'that its account is empty',
      { inFlight: [a, b], waiting: [waits('a', 'rate-limit'), waits('b', 'quota')] },
      'held',
      'b waits: quota',
    ],
    [
      'that its budget is reached',
      { inFlight: [a, b], waiting: [waits('b', 'budget')] },
      'budget-reached',
      'b waits: budget',
    ],
    [
      'that failures hold it',
      {
        inFlight: [a],
        waiting: [waits('a', 'rate-limit')],
        failedInRow: { failure: 'ModelRefusedKey', message: 'HTTP 401', count: 5 },
      },
      'held',
      'HTTP 401',
    ],
    [
      'nothing of what a person has done',
      { paused: true, inFlight: [a], waiting: [waits('a', 'pause')] },
      null,
      'a waits: pause',
    ],
    ['nothing while it is ended', { inFlight: [a], stopping: { kind: 'deadline' } }, null, ''],
  ])('is %s', (_, state, event, reason) => {
    const run = { ...emptyRun, samples: 2, ...state };
    const summary = runSummary(run, 2);
    expect(eventOf(summary)).toBe(event);
    expect(reasonOf(run, summary)).toBe(reason);
  });
});
