import { ApplicationFailure } from '@temporalio/common';
import { beforeAll, describe, expect, it } from 'vitest';
import { PortFailure } from '../../activities/ports/port-failure.js';
import type { RunConfig } from '../../domain/runs/run-config.js';
import { pauseRunUpdate, resumeRunUpdate, cancelQuestionUpdate } from '../../workflows/messages.js';
import { eventually } from '../support/command-line.js';
import { sampleKey } from '../support/runs/example-records.js';
import {
  startRunsUnderTest,
  type RunsUnderTest,
  type TestRun,
} from '../support/runs/runs-under-test.js';

let runs: RunsUnderTest;
beforeAll(async () => {
  runs = await startRunsUnderTest();
  return () => runs.stop();
});

/** A run of one question of two turns, whose second call is under way. */
async function inSecondTurn(config: Partial<RunConfig> = {}): Promise<TestRun> {
  const run = runs.runOf(['a'], 1, [], config);
  run.stumble('a');
  run.holdFrom(2, 'a');
  await run.start();
  await run.untilAsked('a', 2);
  return run;
}

const untilNothingIsPending = (run: TestRun): Promise<true> =>
  eventually(async () => {
    const { pendingActivities } = (await run.question('a').describe()).raw;
    return pendingActivities?.length === 0 ? true : null;
  });

const down = new PortFailure('ModelUnavailable', '503');

describe('a model call', () => {
  it('is pending in the queue while the model is asked', async () => {
    const run = await inSecondTurn();
    const { raw } = await run.question('a').describe();
    expect(raw.pendingActivities?.map(({ activityType }) => activityType?.name)).toEqual([
      'askModel',
    ]);
    run.release('a');
    expect(await run.handle.result()).toMatchObject({ outcomes: { answered: 1 } });
  });

  it('is made again where it fails, as often as attempts are left', async () => {
    const run = await inSecondTurn({ modelAttempts: 3, onFailure: 'end' });
    run.fail('a', down, down, down);
    run.release('a');
    expect(await run.handle.result()).toMatchObject({ outcomes: { 'infra-error': 1 } });
    expect(run.asked()).toEqual(['a', 'a', 'a', 'a']);
    const failed: unknown = expect.objectContaining({ failure: 'ModelUnavailable' });
    expect(
      (await runs.runFiles.end(run.manifest().run, sampleKey('a')))?.result.outcome,
    ).toMatchObject({
      ...{ failure: 'ModelUnavailable', attempts: 3 },
      failures: { count: 3, latest: [failed, failed, failed] },
    });
  });

  it('is made in as many rounds as it takes, where workers are lost with it', async () => {
    const run = await inSecondTurn({ modelAttempts: 3 });
    const lost = ApplicationFailure.create({ type: 'WorkerShutdown', message: 'lost' });
    // The first round ends with a lost worker; of the second one two attempts are left.
    run.fail('a', down, lost, down, lost);
    run.release('a');
    expect(await run.handle.result()).toMatchObject({ outcomes: { answered: 1 } });
    const reply = await runs.runFiles.reply(run.manifest().run, sampleKey('a'), 2);
    expect(reply?.retries).toBe(4);
  });

  it('ends its question where another attempt would fail in the same way', async () => {
    const run = await inSecondTurn();
    run.fail('a', new PortFailure('ModelRejectedRequest', '400'));
    run.release('a');
    expect(await run.handle.result()).toMatchObject({ outcomes: { 'infra-error': 1 } });
    expect(run.asked()).toEqual(['a', 'a']);
  });

  it('is paid once though its reply cannot be stored at once', async () => {
    const run = await inSecondTurn();
    runs.runFiles.refuse(1);
    run.release('a');
    expect(await run.handle.result()).toMatchObject({ outcomes: { answered: 1 } });
    expect(run.asked()).toEqual(['a', 'a']);
  });

  it('is let end by a pause, with the attempts that are left to it', async () => {
    const run = await inSecondTurn();
    run.fail('a', down);
    await run.handle.executeUpdate(pauseRunUpdate, { args: [{ now: false }] });
    run.release('a');
    await run.handle.executeUpdate(resumeRunUpdate);
    expect(await run.handle.result()).toMatchObject({ outcomes: { answered: 1 } });
    expect(run.asked()).toEqual(['a', 'a', 'a']);
  });

  it('is given up by a pause that asks for it, and made again', async () => {
    const run = await inSecondTurn();
    await run.handle.executeUpdate(pauseRunUpdate, { args: [{ now: true }] });
    await untilNothingIsPending(run);
    run.release('a');
    await run.handle.executeUpdate(resumeRunUpdate);
    expect(await run.handle.result()).toMatchObject({ outcomes: { answered: 1 } });
    expect(run.asked()).toEqual(['a', 'a', 'a']);
  });

  it('is given up with its question', async () => {
    const run = await inSecondTurn();
    await run.handle.executeUpdate(cancelQuestionUpdate, { args: [sampleKey('a')] });
    expect(await run.handle.result()).toMatchObject({ outcomes: { cancelled: 1 } });
  });

  it('is made after an action that failed and was tried again', async () => {
    const run = runs.runOf(['a'], 1);
    run.query('a');
    const gone = new PortFailure('StoreUnavailable', 'gone');
    runs.failQueries(gone, gone);
    await run.start();
    expect(await run.handle.result()).toMatchObject({ outcomes: { answered: 1 }, turns: 2 });
    expect(run.asked()).toEqual(['a', 'a']);
  });
});
