import { ApplicationFailure } from '@temporalio/common';
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

/** Until no step of the question is open. */
const untilAtRest = (run: TestRun): Promise<true> =>
  eventually(async () => {
    const { pendingWorkflowTask } = (await run.question('a').describe()).raw;
    return pendingWorkflowTask ? null : true;
  });

/** How its model calls came to a worker, in order. */
async function waysOf(run: TestRun, name = 'a'): Promise<readonly string[]> {
  const { events } = await run.question(name).fetchHistory();
  return (events ?? []).flatMap(
    ({ activityTaskScheduledEventAttributes, markerRecordedEventAttributes }) => {
      if (activityTaskScheduledEventAttributes?.activityType?.name === 'askModel') return ['queue'];
      const [details] = markerRecordedEventAttributes?.details?.['data']?.payloads ?? [];
      const data = Buffer.from(details?.data ?? []);
      if (data.includes('"actAndAsk"')) return ['after its action'];
      return data.includes('"askModel"') ? ['here'] : [];
    },
  );
}

describe('a model call after a quick one', () => {
  it('is made in the worker that has the workflow', async () => {
    const run = await inSecondTurn();
    run.release('a');
    expect(await run.handle.result()).toMatchObject({ outcomes: { answered: 1 } });
    expect(await waysOf(run)).toEqual(['here', 'here']);
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
    expect(await waysOf(run)).toEqual(['here', 'here', 'queue']);
    expect(run.asked()).toEqual(['a', 'a', 'a', 'a']);
  });

  it('is tried through the queue in as many rounds as it takes, where workers are lost with it', async () => {
    const run = await inSecondTurn({ modelAttempts: 3 });
    const lost = ApplicationFailure.create({ type: 'WorkerShutdown', message: 'lost' });
    const failure = new PortFailure('ModelUnavailable', '503');
    // Here; in the first round; in the second one, of which one try is left.
    run.fail('a', failure, lost, failure, lost);
    run.release('a');
    expect(await run.handle.result()).toMatchObject({ outcomes: { answered: 1 } });
    expect(await waysOf(run)).toEqual(['here', 'here', 'queue', 'queue', 'queue']);
    const reply = await runs.runFiles.reply(run.manifest().run, sampleKey('a'), 2);
    expect(reply?.retries).toBe(4);
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
    expect(await waysOf(run)).toEqual(['here', 'here', 'queue']);
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
    await untilAtRest(run);
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
    expect(await waysOf(run)).toEqual(['here', 'queue']);
  });

  it('is left to the queue by the worker where it is the first of its question', async () => {
    const slow = runs.runOf(['a'], 1, ['a']);
    await slow.start();
    await slow.untilAsked('a');
    runs.jump(briskMs + 1);
    slow.release('a');
    await slow.handle.result();
    const run = runs.runOf(['a', 'b'], 1);
    await run.start();
    expect(await run.handle.result()).toMatchObject({ outcomes: { answered: 2 } });
    expect(await waysOf(run)).toEqual(['here', 'queue']);
    expect(await waysOf(run, 'b')).toEqual(['here']);
    expect(run.asked()).toEqual(['a', 'b']);
  });
});

describe('a model call after an action', () => {
  it('is one with it', async () => {
    const run = runs.runOf(['a'], 1);
    run.query('a');
    await run.start();
    expect(await run.handle.result()).toMatchObject({ outcomes: { answered: 1 }, turns: 2 });
    expect(await waysOf(run)).toEqual(['here', 'after its action']);
  });

  it('is made by itself where the action fails, which the queue tries again', async () => {
    const run = runs.runOf(['a'], 1);
    run.query('a');
    const failure = new PortFailure('StoreUnavailable', 'gone');
    runs.failQueries(failure, failure);
    await run.start();
    expect(await run.handle.result()).toMatchObject({ outcomes: { answered: 1 }, turns: 2 });
    expect(await waysOf(run)).toEqual(['here', 'after its action', 'here']);
    expect(run.asked()).toEqual(['a', 'a']);
  });

  it('is made again through the queue where it fails, the action not', async () => {
    const run = runs.runOf(['a'], 1, [], { modelAttempts: 2 });
    run.query('a');
    run.holdFrom(2, 'a');
    await run.start();
    await run.untilAsked('a', 2);
    run.fail('a', new PortFailure('ModelUnavailable', '503'));
    run.release('a');
    expect(await run.handle.result()).toMatchObject({ outcomes: { answered: 1 }, turns: 2 });
    expect(await waysOf(run)).toEqual(['here', 'after its action', 'queue']);
    expect(run.asked()).toEqual(['a', 'a', 'a']);
  });

  it('ends its question where the same would fail again', async () => {
    const run = runs.runOf(['a'], 1);
    run.query('a');
    run.holdFrom(2, 'a');
    await run.start();
    await run.untilAsked('a', 2);
    run.fail('a', new PortFailure('ModelRefusedKey', '401'));
    run.release('a');
    expect(await run.handle.result()).toMatchObject({ outcomes: { 'infra-error': 1 }, turns: 1 });
    expect(run.asked()).toEqual(['a', 'a']);
  });

  it('is given up where that is asked for, and made again', async () => {
    const run = runs.runOf(['a'], 1);
    run.query('a');
    run.holdFrom(2, 'a');
    await run.start();
    await run.untilAsked('a', 2);
    await run.handle.executeUpdate(pauseRunUpdate, { args: [{ now: true }] });
    await untilAtRest(run);
    run.release('a');
    await run.handle.executeUpdate(resumeRunUpdate);
    expect(await run.handle.result()).toMatchObject({ outcomes: { answered: 1 }, turns: 2 });
    expect(run.asked()).toEqual(['a', 'a', 'a']);
  });

  it('goes through the queue by itself where there is one try only', async () => {
    const run = runs.runOf(['a'], 1, [], { modelAttempts: 1 });
    run.query('a');
    await run.start();
    expect(await run.handle.result()).toMatchObject({ outcomes: { answered: 1 }, turns: 2 });
    expect(await waysOf(run)).toEqual(['queue', 'queue']);
  });
});
