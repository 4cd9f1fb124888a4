import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CancelledFailure } from '@temporalio/common';
import { Client } from '@temporalio/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { replyFile } from '../../domain/runs/run-manifest.js';
import { PortFailure } from '../../activities/ports/port-failure.js';
import { pauseRunUpdate, progressQuery } from '../../workflows/messages.js';
import { createTemporalQuestions } from '../../worker/adapters/temporal.js';
import { eventually } from '../support/command-line.js';
import { exampleQuestionSettings, sampleKey } from '../support/runs/example-records.js';
import { testHome } from '../support/test-home.js';
import { startRunsUnderTest, type RunsUnderTest } from '../support/runs/runs-under-test.js';

let runs: RunsUnderTest;
beforeAll(async () => {
  // A server that asks for a new history early, so that a run of a few questions goes through several.
  runs = await startRunsUnderTest('limit.historyCount.suggestContinueAsNew=60');
  return () => runs.stop();
});
const runOf: RunsUnderTest['runOf'] = (...args) => runs.runOf(...args);

const abc = ['a', 'b', 'c'] as const;

/** As a disk that was full, or a power cut, leaves the first reply to a question. */
function damageReply(folder: string, uuid: string): void {
  const reply = join(folder, replyFile(sampleKey(uuid), 1));
  mkdirSync(dirname(reply), { recursive: true });
  writeFileSync(reply, '{');
}

describe('a run', () => {
  it('goes through as many histories as it needs, and asks every question once', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `q${index + 1}`);
    const { start, asked, outcomes } = runOf(names, 3);
    const handle = await start();
    expect(await handle.result()).toMatchObject({ outcomes: { answered: 20 }, turns: 20 });
    expect(asked().toSorted()).toEqual(names.toSorted());
    expect(outcomes().toSorted()).toEqual(names.map((name) => `${name} answered`).toSorted());
    const [started] = (await handle.fetchHistory()).events ?? [];
    expect(started?.workflowExecutionStartedEventAttributes).toMatchObject({
      continuedExecutionRunId: expect.stringMatching(/./) as unknown,
    });
  });

  it('never has more questions in flight than its window holds', async () => {
    const { start, untilAsked, release, asked } = runOf(['a', 'b', 'c', 'd'], 2, ['a', 'b', 'c']);
    const handle = await start();
    const inFlight = async (): Promise<readonly string[]> =>
      (await handle.query(progressQuery)).inFlight.map(({ uuid }) => uuid);
    await Promise.all([untilAsked('a'), untilAsked('b')]);
    expect(await inFlight()).toEqual(['a', 'b']);
    release('b');
    await untilAsked('c');
    expect(await inFlight()).toEqual(['a', 'c']);
    expect(asked().toSorted()).toEqual(['a', 'b', 'c']);
    release('a', 'c');
    expect(await handle.result()).toMatchObject({ outcomes: { answered: 4 } });
  });

  it('is one, however often it is started at once', async () => {
    const { start, asked, outcomes } = runOf(abc, 2);
    const handles = await Promise.all([start(), start(), start()]);
    const described = await Promise.all(handles.map((handle) => handle.describe()));
    expect(new Set(described.map(({ runId }) => runId)).size).toBe(1);
    await Promise.all(handles.map((handle) => handle.result()));
    expect(asked().toSorted()).toEqual(abc);
    expect(outcomes()).toHaveLength(3);
  });

  it('that has finished asks nothing when it is started again', async () => {
    const { start, asked, outcomes, question } = runOf(abc, 2);
    const totals = await (await start()).result();
    const { runId } = await question('a').describe();
    expect(await (await start()).result()).toEqual(totals);
    expect(asked()).toHaveLength(3);
    expect(outcomes()).toHaveLength(3);
    expect((await question('a').describe()).runId).toBe(runId);
  });

  it('starts a question again that somebody terminated, and goes on', async () => {
    const { start, untilAsked, question, release, outcomes } = runOf(abc, 1, ['b']);
    const handle = await start();
    await untilAsked('b');
    await question('b').terminate('by hand');
    await untilAsked('b', 2);
    release('b');
    expect(await handle.result()).toMatchObject({ outcomes: { answered: 3 } });
    expect(outcomes()).toEqual(['a answered', 'b answered', 'c answered']);
  });

  it('is not stalled by a question whose turns are damaged', async () => {
    const { start, folder, outcomes } = runOf(abc, 1);
    damageReply(folder, 'b');
    expect(await (await start()).result()).toMatchObject({
      outcomes: { answered: 2, 'infra-error': 1 },
    });
    expect(outcomes()).toEqual(['a answered', 'b infra-error', 'c answered']);
  });

  it('stores a reply in the place of a damaged one', async () => {
    const { start, untilAsked, release, folder, outcomes } = runOf(abc, 1, ['b']);
    const handle = await start();
    await untilAsked('b');
    damageReply(folder, 'b');
    release('b');
    expect(await handle.result()).toMatchObject({ outcomes: { answered: 3 } });
    expect(outcomes()).toEqual(['a answered', 'b answered', 'c answered']);
  });

  it('pays once for a reply that two attempts could not store', async () => {
    const { start, asked } = runOf(['a'], 1);
    runs.runFiles.refuse(4);
    expect(await (await start()).result()).toMatchObject({ outcomes: { answered: 1 } });
    expect(runs.runFiles.refused()).toBe(4);
    expect(asked()).toEqual(['a']);
  });

  it('appends each result once, though the disk had no room for it at first', async () => {
    const { start, untilAsked, release, outcomes } = runOf(['a', 'b'], 2, ['b']);
    const handle = await start();
    await untilAsked('b');
    runs.runFiles.refuseLines(2);
    release('b');
    expect(await handle.result()).toMatchObject({ outcomes: { answered: 2 } });
    expect(outcomes().toSorted()).toEqual(['a answered', 'b answered']);
  });

  it.each([-3_600_000, 3_600_000])('ends as usual where the clock jumps by %d ms', async (ms) => {
    const limits = { questionTimeLimitMs: 600_000, budget: { usd: null, tokens: 1e6 } };
    const { start, untilAsked, release, outcomes } = runOf(['a', 'b'], 1, ['a'], limits);
    const handle = await start();
    await untilAsked('a');
    runs.jump(ms);
    release('a');
    expect(await handle.result()).toMatchObject({ outcomes: { answered: 2 } });
    expect(outcomes()).toEqual(['a answered', 'b answered']);
    runs.jump(-ms);
  });

  it('does through the queue what fails in the worker that has the question', async () => {
    const { start, outcomes } = runOf(abc, 1);
    runs.runFiles.refuseEnds(1);
    expect(await (await start()).result()).toMatchObject({ outcomes: { answered: 3 } });
    expect(outcomes()).toEqual(['a answered', 'b answered', 'c answered']);
  });

  it('goes on when somebody cancels one question', async () => {
    const { start, untilAsked, question, outcomes } = runOf(abc, 1, ['b']);
    const handle = await start();
    await untilAsked('b');
    await question('b').cancel();
    expect(await handle.result()).toMatchObject({ outcomes: { answered: 2, cancelled: 1 } });
    expect(outcomes()).toEqual(['a answered', 'b cancelled', 'c answered']);
  });

  it('that is cancelled cancels what is in flight, keeps its results, and can be continued', async () => {
    const { start, untilAsked, asked, outcomes, manifest } = runOf([...abc, 'd'], 2, ['b', 'c']);
    const handle = await start();
    await Promise.all([untilAsked('b'), untilAsked('c')]);
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject({
      cause: expect.any(CancelledFailure) as unknown,
    });
    expect(outcomes().toSorted()).toEqual(['a answered', 'b cancelled', 'c cancelled']);
    expect(manifest()).toMatchObject({
      status: 'cancelled',
      totals: { outcomes: { answered: 1 } },
    });
    const totals = await (await start()).result();
    expect(totals).toMatchObject({ outcomes: { answered: 2, cancelled: 2 } });
    expect(asked().toSorted()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('collects what ended while it was gone', async () => {
    const { start, untilAsked, release, question, asked, outcomes } = runOf(abc, 1, ['b']);
    const handle = await start();
    await untilAsked('b');
    await handle.terminate('by hand');
    release('b');
    expect(await question('b').result()).toMatchObject({ outcome: 'answered' });
    expect(outcomes()).toEqual(['a answered']);
    expect(await (await start()).result()).toMatchObject({ outcomes: { answered: 3 } });
    expect(outcomes()).toEqual(['a answered', 'b answered', 'c answered']);
    expect(asked()).toEqual(abc);
  });

  it('takes up the questions of the one before it that are open still', async () => {
    const { start, untilAsked, release, asked, outcomes } = runOf(abc, 1, ['b']);
    const before = await start();
    await untilAsked('b');
    await before.terminate('by hand');
    const handle = await start();
    await eventually(async () => (await handle.query(progressQuery)).inFlight[0]);
    release('b');
    expect(await handle.result()).toMatchObject({ outcomes: { answered: 3 } });
    expect(outcomes()).toEqual(['a answered', 'b answered', 'c answered']);
    expect(asked()).toEqual(abc);
  });

  it('does not take a question that closes for the next asking of it', async () => {
    const { start, untilAsked, release, question, manifest } = runOf(['a'], 1, ['a']);
    const handle = await start();
    await untilAsked('a');
    const { nativeConnection: connection } = runs.temporal;
    const questions = createTemporalQuestions(new Client({ connection }), testHome);
    const startAsking = (asking: number): Promise<boolean> =>
      questions.start({
        settings: { ...exampleQuestionSettings, run: manifest().run },
        taskQueue: 'runs',
        sample: { ...sampleKey('a'), question: 'Why?', tags: [], asking },
      });
    expect(await startAsking(1)).toBe(false);
    await expect(startAsking(2)).rejects.toThrow(/closes/);
    release('a');
    await Promise.all([handle.result(), question('a').result()]);
    expect(await startAsking(2)).toBe(true);
    expect(await startAsking(2)).toBe(false);
    await question('a').terminate('by hand');
  });

  it('wakes the questions of the one before it that wait', async () => {
    const { start, fail, outcomes } = runOf(['a', 'b'], 2, [], {
      onFailure: 'wait',
      modelAttempts: 1,
    });
    const down = { reason: 'outage', outage: 'ModelUnavailable', retryAfterMs: 3_600_000 } as const;
    fail('a', new PortFailure('ModelDeferred', 'no', down));
    const before = await start();
    await eventually(async () => {
      const { summary } = await before.query(progressQuery);
      return summary.ended === 1 && summary.waiting === 1 ? true : null;
    });
    await before.terminate('by hand');
    expect(await (await start()).result()).toMatchObject({ outcomes: { answered: 2 } });
    expect(outcomes()).toEqual(['b answered', 'a answered']);
  });

  it('lets the questions of the one before it go on where that was paused', async () => {
    const { start, untilAsked, release, stumble, outcomes } = runOf(['a'], 1, ['a']);
    const before = await start();
    await untilAsked('a');
    stumble('a');
    await before.executeUpdate(pauseRunUpdate, { args: [{}] });
    release('a');
    await before.terminate('by hand');
    expect(await (await start()).result()).toMatchObject({ outcomes: { answered: 1 } });
    expect(outcomes()).toEqual(['a answered']);
  });
});
