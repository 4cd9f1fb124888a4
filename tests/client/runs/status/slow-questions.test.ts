import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { WorkflowNotFoundError } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { RunFolder } from '../../../../client/runs/run-folder.js';
import { doingOf, slowQuestions, type PendingWork } from '../../../../client/runs/query-run.js';
import type { HomeClient } from '../../../../client/services/home-client.js';
import { parseQuestionWorkflowId } from '../../../../domain/ids.js';
import { replyFile, turnsFolder } from '../../../../domain/runs/run-manifest.js';
import type { WaitingQuestion } from '../../../../domain/runs/run-state.js';
import { sampleKey } from '../../../support/runs/example-records.js';
import { testHome } from '../../../support/test-home.js';
import { runInFolder } from '../../../support/runs/run-in-folder.js';

const told = (text: unknown) => ({
  payloads: [defaultPayloadConverter.toPayload(text)],
});

describe('doingOf', () => {
  const activityType = { name: 'askModel' };
  it.each<[string, PendingWork, object]>([
    [
      'an activity that has told something',
      {
        pendingActivities: [
          {
            activityType,
            state: 2,
            heartbeatDetails: told({ tries: 1, stage: 'calls the model' }),
          },
        ],
      },
      { kind: 'works', activity: 'askModel', told: 'calls the model' },
    ],
    [
      'an activity that has told nothing for people',
      { pendingActivities: [{ activityType, state: 2, heartbeatDetails: told({ page: 3 }) }] },
      { kind: 'works', activity: 'askModel', told: null },
    ],
    [
      'an activity without a worker',
      { pendingActivities: [{ activityType, state: 1 }] },
      { kind: 'unclaimed' },
    ],
    [
      'an activity that failed',
      {
        pendingActivities: [
          {
            activityType,
            state: 1,
            attempt: 3,
            maximumAttempts: 8,
            lastFailure: { message: '503' },
          },
        ],
      },
      { kind: 'retries', activity: 'askModel', attempt: 3, attempts: 8, lastFailure: '503' },
    ],
    ['a workflow without a worker', { pendingWorkflowTask: { state: 1 } }, { kind: 'unclaimed' }],
    ['a workflow at work in a worker', { pendingWorkflowTask: { state: 2 } }, { kind: 'at-work' }],
    ['nothing', {}, { kind: 'rests' }],
  ])('is told of %s', (_name, pending, doing) => expect(doingOf(pending)).toEqual(doing));
});

describe('slowQuestions', () => {
  /** A server that knows when each question began, by its name, and has nothing of them under way. */
  function serverOf(begun: Readonly<Record<string, number>>) {
    const asked: string[] = [];
    const getHandle = (id: string) => ({
      describe: () => {
        const name = parseQuestionWorkflowId(id)?.uuid ?? '';
        asked.push(name);
        const atMs = begun[name];
        return atMs === undefined
          ? Promise.reject(new WorkflowNotFoundError('gone', id, undefined))
          : Promise.resolve({ status: { name: 'RUNNING' }, startTime: new Date(atMs), raw: {} });
      },
    });
    // slowQuestions asks for nothing else.
    return { client: { home: testHome, workflow: { getHandle } } as unknown as HomeClient, asked };
  }

  const { home, manifest } = runInFolder([]);
  const folder = new RunFolder(home, manifest.run);
  const store = (name: string, atSeconds: number): void => {
    const file = join(folder.path, replyFile(sampleKey(name), 1));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '');
    utimesSync(join(folder.path, turnsFolder(sampleKey(name))), atSeconds, atSeconds);
  };
  store('late', 500);
  store('early', 100);
  store('middle', 300);
  const inFlight = ['late', 'early', 'middle', 'fresh', 'fresher'].map((name) => sampleKey(name));
  const waiting: WaitingQuestion[] = [
    {
      ...sampleKey('early'),
      reason: 'budget',
      message: 'spent',
      until: null,
      need: null,
      failure: null,
    },
  ];

  it('are those that stored nothing for longest, and no others are asked about', async () => {
    const begun = { late: 0, early: 0, middle: 0, fresh: 200_000, fresher: 400_000 };
    const { client, asked } = serverOf(begun);
    const flight = { client, run: manifest.run, folder, progress: { inFlight, waiting } };
    expect(await slowQuestions(flight, 2)).toEqual([
      {
        ...sampleKey('early'),
        turns: 1,
        movedAtMs: 100_000,
        doing: { kind: 'waits', waiting: waiting[0] },
      },
      { ...sampleKey('fresh'), turns: 0, movedAtMs: 200_000, doing: { kind: 'rests' } },
    ]);
    expect(asked.toSorted()).toEqual(['early', 'fresh', 'fresher', 'middle']);
  });

  it('are only those that are slow, and the server is asked about one more', async () => {
    const begun = { late: 0, early: 0, middle: 0, fresh: 200_000, fresher: 400_000 };
    const { client, asked } = serverOf(begun);
    const flight = { client, run: manifest.run, folder, progress: { inFlight, waiting } };
    const isSlow = ({ movedAtMs }: { readonly movedAtMs: number }): boolean => movedAtMs < 150_000;
    expect(await slowQuestions(flight, 5, isSlow)).toMatchObject([{ uuid: 'early' }]);
    expect(asked.toSorted()).toEqual(['early', 'fresh']);
  });

  it('are those that began first where the files are elsewhere, and may have closed', async () => {
    const { client } = serverOf({ early: 50_000 });
    const flight = { client, run: manifest.run, folder: null, progress: { inFlight, waiting: [] } };
    expect(await slowQuestions(flight, 2)).toMatchObject([
      { uuid: 'early', turns: 0, movedAtMs: 50_000, doing: { kind: 'rests' } },
      { uuid: 'late', turns: 0, doing: { kind: 'closed' } },
    ]);
  });
});
