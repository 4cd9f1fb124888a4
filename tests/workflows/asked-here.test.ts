import { CancelledFailure } from '@temporalio/common';
import { beforeAll, describe, expect, it } from 'vitest';
import { PortFailure } from '../../activities/ports/port-failure.js';
import { briskMs } from '../../domain/questions/asked-here.js';
import type { RunConfig } from '../../domain/runs/run-config.js';
import { pauseRunUpdate, resumeRunUpdate, skipQuestionUpdate } from '../../workflows/messages.js';
import { eventually } from '../support/command-line.js';
import { sampleKey } from '../support/example-records.js';
import {
  startRunsUnderTest,
  type RunsUnderTest,
  type TestRun,
} from '../support/runs-under-test.js';

let runs: RunsUnderTest;
beforeAll(async () => {
  runs = await startRunsUnderTest();
  return () => runs.stop();
});

/** A run of one question of two turns, whose second call is under way: in the worker that has the workflow. */
async function inSecondTurn(config: Partial<RunConfig> = {}): Promise<TestRun> {
  const run = runs.runOf(['a'], 1, [], config);
  run.stumble('a');
  run.holdFrom(2, 'a');
  await run.start();
  await run.untilAsked('a', 2);
  return run;
}

/** How its model calls came to a worker, in order. */
async function waysOf(run: TestRun): Promise<readonly string[]> {
  const { events } = await run.question('a').fetchHistory();
  return (events ?? []).flatMap(
    ({ activityTaskScheduledEventAttributes, markerRecordedEventAttributes }) => {
      if (activityTaskScheduledEventAttributes?.activityType?.name === 'askModel') return ['queue'];
      const [details] = markerRecordedEventAttributes?.details?.['data']?.payloads ?? [];
      return details && Buffer.from(details.data ?? []).includes('"askModel"') ? ['here'] : [];
    },
  );
}

describe('a model call after a quick one', () => {
  it('is made in the worker that has the workflow', async () => {
    const run = await inSecondTurn();
    run.release('a');
    expect(await run.handle.result()).toMatchObject({ outcomes: { answered: 1 } });
    expect(await waysOf(run)).toEqual(['queue', 'here']);
  });

  it('goes through the queue where there is one try only', async () => {
    const run = await inSecondTurn({ modelAttempts: 1 });
    run.release('a');
    expect(await run.handle.result()).toMatchObject({ outcomes: { answered: 1 } });
    expect(await waysOf(run)).toEqual(['queue', 'queue']);
  });

  it('is made again through the queue where it fails, as often as tries are left', async () => {
    const run = await inSecondTurn({ modelAttempts: 3 });
    const failure = new PortFailure('ModelUnavailable', '503');
    run.fail('a', failure, failure, failure);
    run.release('a');
    expect(await run.handle.result()).toMatchObject({ outcomes: { 'infra-error': 1 } });
    expect(await waysOf(run)).toEqual(['queue', 'here', 'queue']);
    expect(run.asked()).toEqual(['a', 'a', 'a', 'a']);
  });

  it('is made again through the queue where the SDK gave it up, and nobody asked for that', async () => {
    const run = await inSecondTurn();
    run.fail('a', new CancelledFailure('the worker forgot its question'));
    run.release('a');
    expect(await run.handle.result()).toMatchObject({ outcomes: { answered: 1 } });
    expect(await waysOf(run)).toEqual(['queue', 'here', 'queue']);
    expect(run.asked()).toEqual(['a', 'a', 'a']);
  });

  it('ends its question where the same would fail again', async () => {
    const run = await inSecondTurn();
    run.fail('a', new PortFailure('ModelRefusedKey', '401'));
    run.release('a');
    expect(await run.handle.result()).toMatchObject({ outcomes: { 'infra-error': 1 } });
    expect(run.asked()).toEqual(['a', 'a']);
  });

  it('is paid once though its reply cannot be stored there', async () => {
    const run = await inSecondTurn();
    runs.runFiles.refuse(1);
    run.release('a');
    expect(await run.handle.result()).toMatchObject({ outcomes: { answered: 1 } });
    expect(await waysOf(run)).toEqual(['queue', 'here', 'queue']);
    expect(run.asked()).toEqual(['a', 'a']);
  });

  it('is let end by a pause, with the tries that are left to it', async () => {
    const run = await inSecondTurn();
    run.fail('a', new PortFailure('ModelUnavailable', '503'));
    await run.handle.executeUpdate(pauseRunUpdate, { args: [{ now: false }] });
    run.release('a');
    await run.handle.executeUpdate(resumeRunUpdate);
    expect(await run.handle.result()).toMatchObject({ outcomes: { answered: 1 } });
    expect(run.asked()).toEqual(['a', 'a', 'a']);
  });

  it('is given up where that is asked for, and made again', async () => {
    const run = await inSecondTurn();
    await run.handle.executeUpdate(pauseRunUpdate, { args: [{ now: true }] });
    await eventually(async () => {
      const { pendingWorkflowTask } = (await run.question('a').describe()).raw;
      return pendingWorkflowTask ? null : true;
    });
    run.release('a');
    await run.handle.executeUpdate(resumeRunUpdate);
    expect(await run.handle.result()).toMatchObject({ outcomes: { answered: 1 } });
    expect(run.asked()).toEqual(['a', 'a', 'a']);
  });

  it('is given up with its question', async () => {
    const run = await inSecondTurn();
    await run.handle.executeUpdate(skipQuestionUpdate, { args: [sampleKey('a')] });
    expect(await run.handle.result()).toMatchObject({ outcomes: { cancelled: 1 } });
  });
});

describe('a model call after one that took long', () => {
  it('goes through the queue', async () => {
    const run = runs.runOf(['a'], 1, ['a']);
    run.stumble('a');
    await run.start();
    await run.untilAsked('a');
    runs.jump(briskMs + 1);
    run.release('a');
    expect(await run.handle.result()).toMatchObject({ outcomes: { answered: 1 } });
    expect(await waysOf(run)).toEqual(['queue', 'queue']);
  });
});
