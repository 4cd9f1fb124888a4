import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateStage,
} from '@temporalio/client';
import { CancelledFailure } from '@temporalio/common';
import { beforeAll, describe, expect, it } from 'vitest';
import { refusal } from '../../client/runs/live-run.js';
import { PortFailure } from '../../activities/ports/port-failure.js';
import { billsSchema, type Bills } from '../../domain/budget/amount.js';
import { billsFile } from '../../domain/runs/run-manifest.js';
import type { RunProgress } from '../../domain/runs/run-progress.js';
import {
  pauseRunUpdate,
  progressQuery,
  resumeRunUpdate,
  cancelQuestionUpdate,
  tuneRunUpdate,
} from '../../workflows/messages.js';
import { eventually } from '../support/command-line.js';
import { sampleKey } from '../support/runs/example-records.js';
import {
  startRunsUnderTest,
  type RunsUnderTest,
  type TestRun,
} from '../support/runs/runs-under-test.js';
import { steeredTokens } from '../support/fakes/steered-model.js';

let runs: RunsUnderTest;
beforeAll(async () => {
  runs = await startRunsUnderTest();
  return () => runs.stop();
});

const abc = ['a', 'b', 'c'] as const;
/** Its questions are heard at once: a call with one try is never made in the worker that has the workflow. */
const throughQueue = { modelAttempts: 1 };
const tokensOfCall = steeredTokens.prompt + steeredTokens.completion;

const pause = ({ handle }: TestRun, now = false) =>
  handle.executeUpdate(pauseRunUpdate, { args: [{ now }] });
const resume = ({ handle }: TestRun) => handle.executeUpdate(resumeRunUpdate);
const skip = ({ handle }: TestRun, name: string, epoch = 1) =>
  handle.executeUpdate(cancelQuestionUpdate, { args: [sampleKey(name, epoch)] });

/** The run's progress, as soon as it is as wanted. */
const until = ({ handle }: TestRun, isWanted: (progress: RunProgress) => boolean) =>
  eventually(async () => {
    const progress = await handle.query(progressQuery);
    return isWanted(progress) ? progress : null;
  });

/** What a refused update says. */
const refusalOf = (update: Promise<unknown>): Promise<string> =>
  update.then(
    () => 'it was not refused',
    (error: unknown) =>
      error instanceof WorkflowUpdateFailedError ? refusal(error) : String(error),
  );

describe('a run that is paused', () => {
  it('lets the turn under way end, makes no further call, starts nothing, and goes on when it is resumed', async () => {
    const run = runs.runOf(abc, 1, ['a']);
    run.stumble('a');
    const handle = await run.start();
    await run.untilAsked('a');
    expect(await pause(run)).toMatchObject({ heldBy: 'paused', inFlight: 1, ended: 0 });
    run.release('a');
    // Its turn has ended once its workflow says that it is paused.
    await eventually(async () => {
      const { pendingActivities } = (await run.question('a').describe()).raw;
      return pendingActivities?.length === 0 ? true : null;
    });
    expect(run.asked()).toEqual(['a']);
    expect(await resume(run)).toMatchObject({ heldBy: null });
    expect(await handle.result()).toMatchObject({ outcomes: { answered: 3 } });
    expect(run.asked()).toEqual(['a', 'a', 'b', 'c']);
  });

  it('gives up calls under way where that is asked for, and makes them again', async () => {
    const run = runs.runOf(abc, 2, ['a', 'b']);
    const handle = await run.start();
    await Promise.all([run.untilAsked('a'), run.untilAsked('b')]);
    await pause(run, true);
    await Promise.all(
      ['a', 'b'].map((name) =>
        eventually(async () => {
          const { pendingActivities } = (await run.question(name).describe()).raw;
          return pendingActivities?.length === 0 ? true : null;
        }),
      ),
    );
    run.release('a', 'b');
    await resume(run);
    expect(await handle.result()).toMatchObject({ outcomes: { answered: 3 } });
  });

  it('keeps its questions when it is resumed before their calls were given up', async () => {
    const run = runs.runOf(['a'], 1, ['a']);
    const handle = await run.start();
    await run.untilAsked('a');
    const pausing = await handle.startUpdate(pauseRunUpdate, {
      args: [{ now: true }],
      waitForStage: WorkflowUpdateStage.ACCEPTED,
    });
    await Promise.all([pausing.result(), resume(run)]);
    run.release('a');
    expect(await handle.result()).toMatchObject({ outcomes: { answered: 1 } });
  });

  it('can be cancelled, and says so in its manifest', async () => {
    const run = runs.runOf(abc, 1, ['a'], throughQueue);
    run.stumble('a');
    const handle = await run.start();
    await run.untilAsked('a');
    await pause(run);
    run.release('a');
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject({
      cause: expect.any(CancelledFailure) as unknown,
    });
    expect(run.outcomes()).toEqual(['a cancelled']);
    expect(run.manifest()).toMatchObject({ status: 'cancelled', totals: { turns: 1 } });
  });

  it('is not there to be resumed once it has finished', async () => {
    const run = runs.runOf(['a'], 1);
    await (await run.start()).result();
    await expect(resume(run)).rejects.toBeInstanceOf(WorkflowNotFoundError);
  });
});

describe('tuning', () => {
  it('widens and narrows the window, also below what is in flight, and keeps it in the manifest', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const run = runs.runOf(names, 1, names);
    const handle = await run.start();
    await run.untilAsked('a');
    const tune = (concurrency: number) =>
      handle.executeUpdate(tuneRunUpdate, { args: [{ concurrency }] });
    expect(await tune(3)).toMatchObject({ concurrency: 3 });
    await Promise.all([run.untilAsked('b'), run.untilAsked('c')]);
    expect(await tune(1)).toMatchObject({ concurrency: 1, inFlight: 3 });
    run.release('a', 'b');
    await until(run, ({ inFlight, totals }) => inFlight.length === 1 && totals.turns === 2);
    expect(run.asked().toSorted()).toEqual(['a', 'b', 'c']);
    expect(run.manifest().config.concurrency).toBe(1);
    run.release(...names);
    expect(await handle.result()).toMatchObject({ outcomes: { answered: 5 } });
  });

  it.each<[object, RegExp]>([
    [{ concurrency: 0 }, /concurrency/],
    [{ budgetUsd: -1 }, /budgetUsd/],
    [{ deadline: '2020-01-01T00:00:00Z' }, /the deadline 2020-01-01T00:00:00Z is past/],
    [{ speed: 2 }, /speed/],
    [{}, /nothing is to be tuned/],
  ])('is refused where it makes no sense: %j', async (tuning, reason) => {
    const run = runs.runOf(['a'], 1, ['a']);
    const handle = await run.start();
    await run.untilAsked('a');
    expect(await refusalOf(handle.executeUpdate(tuneRunUpdate, { args: [tuning] }))).toMatch(
      reason,
    );
    run.release('a');
    await handle.result();
  });

  it('to an early deadline ends what is in flight and what was never started, and says so of each', async () => {
    const run = runs.runOf(abc, 1, ['b']);
    const handle = await run.start();
    await run.untilAsked('b');
    const deadline = new Date(Date.now() + 1500).toISOString();
    expect(await handle.executeUpdate(tuneRunUpdate, { args: [{ deadline }] })).toMatchObject({
      deadline,
    });
    expect(await handle.result()).toMatchObject({ outcomes: { answered: 1, deadline: 2 } });
    expect(run.outcomes()).toEqual(['a answered', 'b deadline', 'c deadline']);
    expect(run.asked()).toEqual(['a', 'b']);
  });
});

describe('a limit of time', () => {
  it('ends a question that takes longer, and no other', async () => {
    const run = runs.runOf(abc, 1, ['b'], { questionTimeLimitMs: 1500 });
    expect(await (await run.start()).result()).toMatchObject({
      outcomes: { answered: 2, deadline: 1 },
    });
    expect(run.outcomes()).toEqual(['a answered', 'b deadline', 'c answered']);
  });

  it('does not count what a question is paused for', async () => {
    const run = runs.runOf(['a'], 1, ['a'], { ...throughQueue, questionTimeLimitMs: 60_000 });
    run.stumble('a');
    const handle = await run.start();
    await run.untilAsked('a');
    await pause(run);
    run.release('a');
    await eventually(async () => {
      const { events } = await run.question('a').fetchHistory();
      const timers = events?.filter((event) => event.timerStartedEventAttributes).length;
      const cancelled = events?.filter((event) => event.timerCanceledEventAttributes).length;
      return timers === 1 && cancelled === 1 ? true : null;
    });
    await resume(run);
    expect(await handle.result()).toMatchObject({ outcomes: { answered: 1 } });
  });
});

describe('skipping', () => {
  it('ends questions in flight and questions that were not started, once, and refuses what makes no sense', async () => {
    const run = runs.runOf(abc, 1, ['a']);
    const handle = await run.start();
    await run.untilAsked('a');
    expect(await skip(run, 'c')).toMatchObject({ ended: 1, inFlight: 1 });
    expect(await refusalOf(skip(run, 'c'))).toMatch(/question c .*skipped already/);
    expect(await refusalOf(skip(run, 'x'))).toMatch(/has no question x/);
    expect(await refusalOf(skip(run, 'b', 2))).toMatch(/has no question b \(epoch 2\)/);
    run.hold('b');
    await skip(run, 'a');
    await run.untilAsked('b');
    expect(await refusalOf(skip(run, 'a'))).toMatch(/question a .*(skipped|ended) already/);
    run.release('b');
    expect(await handle.result()).toMatchObject({ outcomes: { answered: 1, cancelled: 2 } });
    expect(run.asked()).toEqual(['a', 'b']);
    expect(run.outcomes().toSorted()).toEqual(['a cancelled', 'b answered', 'c cancelled']);
  });

  it('can be taken back by a retry', async () => {
    const run = runs.runOf(abc, 1, ['a']);
    const handle = await run.start();
    await run.untilAsked('a');
    await skip(run, 'c');
    expect(await run.retry({ questions: [sampleKey('c')] })).toMatchObject({ ended: 0 });
    run.release('a');
    expect(await handle.result()).toMatchObject({ outcomes: { answered: 3 } });
    expect(run.outcomes().toSorted()).toEqual(['a answered', 'b answered', 'c answered']);
  });
});

describe('a retry', () => {
  it('asks exactly its questions again, however scattered they are', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `q${index + 1}`);
    const again = names.filter((_, index) => index % 2 === 0);
    const run = runs.runOf(names, 10);
    await (await run.start()).result();
    await run.retry({ questions: again.map((name) => sampleKey(name)), anew: true });
    expect(await run.handle.result()).toMatchObject({ outcomes: { answered: 60 } });
    expect([...run.asked()].sort()).toEqual([...names, ...again].sort());
  });

  const gone = new PortFailure('ModelRefusedKey', 'no such key');

  it('asks a question of a run under way again, once, and counts its last end alone', async () => {
    const run = runs.runOf(abc, 1, ['b'], { onFailure: 'end' });
    run.fail('a', gone);
    const handle = await run.start();
    await run.untilAsked('b');
    const keys = [sampleKey('a'), sampleKey('b')];
    expect(await run.retry({ questions: keys })).toMatchObject({ ended: 0, inFlight: 1 });
    expect(await refusalOf(run.retry({ questions: keys }))).toMatch(/none of these .* has ended/);
    run.release('b');
    expect(await handle.result()).toMatchObject({ outcomes: { answered: 3 }, turns: 3 });
    expect(run.outcomes().toSorted()).toEqual(['a answered', 'b answered', 'c answered']);
    expect(run.asked().toSorted()).toEqual(['a', 'a', 'b', 'c']);
  });

  it('publishes what ends after it, though the run was about to publish what is asked again', async () => {
    const run = runs.runOf([...abc, 'd'], 1, ['c', 'd'], { onFailure: 'end' });
    run.fail('b', gone);
    const handle = await run.start();
    await run.untilAsked('c');
    await run.retry({ questions: [sampleKey('b')] });
    // The time for the next publication has come, and there is nothing to publish.
    await eventually(async () => {
      const { events } = await handle.fetchHistory();
      return events?.find((event) => event.timerFiredEventAttributes);
    });
    run.release('c');
    await eventually(() => Promise.resolve(run.outcomes().includes('c answered') || null));
    run.release('d');
    expect(await handle.result()).toMatchObject({ outcomes: { answered: 4 } });
  });

  it('takes up a finished run, goes on after stored turns, and asks them again where it is to begin anew', async () => {
    const run = runs.runOf(abc, 1, [], { onFailure: 'end' });
    run.stumble('b');
    run.fail('c', gone);
    await (await run.start()).result();
    expect(run.outcomes()).toEqual(['a answered', 'b answered', 'c infra-error']);
    await run.retry({ questions: [sampleKey('c')] });
    expect(await run.handle.result()).toMatchObject({ outcomes: { answered: 3 } });
    expect(run.asked().toSorted()).toEqual(['a', 'b', 'b', 'c', 'c']);
    await run.retry({ questions: [sampleKey('b')] });
    expect(await run.handle.result()).toMatchObject({ outcomes: { answered: 3 }, turns: 4 });
    expect(run.asked()).toHaveLength(5);
    run.hold('b');
    await run.retry({ questions: [sampleKey('b')], anew: true });
    expect(run.manifest().status).toBe('running');
    run.release('b');
    expect(await run.handle.result()).toMatchObject({ outcomes: { answered: 3 }, turns: 3 });
    expect(run.asked()).toHaveLength(6);
    expect(run.outcomes().toSorted()).toEqual(['a answered', 'b answered', 'c answered']);
    expect(run.manifest()).toMatchObject({ status: 'done', totals: { turns: 3 } });
  });

  it('waits while a run writes its last figures, and is not lost on it', async () => {
    const run = runs.runOf(['a'], 1);
    runs.runFiles.refuseManifests(3);
    const handle = await run.start();
    await eventually(() => Promise.resolve(runs.runFiles.manifestsRefused() > 0 || null));
    const again = { questions: [sampleKey('a')], anew: true };
    const retrying = run.retry(again);
    expect(await refusalOf(pause(run))).toMatch(/is ending/);
    await retrying;
    expect(await handle.result()).toMatchObject({ outcomes: { answered: 1 } });
    expect(await run.handle.result()).toMatchObject({ outcomes: { answered: 1 } });
    expect(run.asked()).toHaveLength(2);
  });

  it('of what a run does not have is refused, and changes nothing', async () => {
    const run = runs.runOf(['a'], 1);
    await (await run.start()).result();
    expect(await refusalOf(run.retry({ questions: [sampleKey('x')] }))).toMatch(
      /has no question x/,
    );
    expect(await refusalOf(run.retry({ questions: [] }))).toMatch(/there is no question to retry/);
    expect(await run.handle.result()).toMatchObject({ outcomes: { answered: 1 } });
    expect(run.outcomes()).toEqual(['a answered']);
  });
});

const billsKey = (run: TestRun): string => {
  const { name, baseUrl } = run.manifest().config.model;
  return `text ${name} at ${new URL(baseUrl).host}`;
};

function readBills({ folder }: TestRun): Bills | null {
  const path = join(folder, billsFile);
  return existsSync(path) ? billsSchema.parse(JSON.parse(readFileSync(path, 'utf8'))) : null;
}

describe('a budget', () => {
  it('parks what it does not allow, lets it go on when it is raised, and holds nothing at the end', async () => {
    const run = runs.runOf(abc, 2, [], { budget: { usd: null, tokens: 1 } });
    // An earlier workflow of this run has seen that the model bills much more than is estimated.
    const bills = { [billsKey(run)]: { lowest: 1, highest: 1, fixed: 100_000 } };
    writeFileSync(join(run.folder, billsFile), JSON.stringify(bills));
    const handle = await run.start();
    const parked = await until(run, ({ summary }) => summary.parked);
    expect(parked.summary).toMatchObject({ heldBy: 'budget', ended: 0 });
    expect(run.asked()).toEqual([]);
    const need = parked.waiting[0]?.need?.tokens ?? 0;
    expect(need).toBeGreaterThan(100_000);
    // Enough for two calls one after the other, and not for a third.
    const budgetTokens = need + tokensOfCall;
    await handle.executeUpdate(tuneRunUpdate, { args: [{ budgetTokens }] });
    const again = await until(
      run,
      ({ summary }) =>
        summary.parked && summary.ended === 2 && summary.budget.reserved.tokens === 0,
    );
    expect(again.summary.budget.spent.tokens).toBe(2 * tokensOfCall);
    await handle.executeUpdate(tuneRunUpdate, { args: [{ budgetTokens: null }] });
    expect(await handle.result()).toMatchObject({ outcomes: { answered: 3 } });
    const { summary } = await handle.query(progressQuery);
    expect(summary.budget.reserved).toEqual({ usd: 0, tokens: 0 });
  });

  it('keeps what the model has billed with the files of the run', async () => {
    const run = runs.runOf(abc, 1, [], { budget: { usd: null, tokens: 1_000_000 } });
    run.hold('b');
    const handle = await run.start();
    await run.untilAsked('b');
    const bills = await eventually(() => readBills(run));
    expect(Object.keys(bills)).toEqual([billsKey(run)]);
    run.release('b');
    await handle.result();
  });

  it('is settled when the run ends, though its workers have had no time to give back what they hold', async () => {
    const run = runs.runOf(abc, 3, [], { budget: { usd: null, tokens: 1_000_000 } });
    const handle = await run.start();
    await handle.result();
    const { summary } = await handle.query(progressQuery);
    expect(summary.budget).toMatchObject({
      spent: { tokens: 3 * tokensOfCall },
      reserved: { usd: 0, tokens: 0 },
    });
  });

  it('of a question ends it before the call that might exceed it', async () => {
    const run = runs.runOf(['a'], 1, [], { questionBudget: { usd: null, tokens: 1 } });
    expect(await (await run.start()).result()).toMatchObject({ outcomes: { 'budget-stop': 1 } });
    expect(run.asked()).toEqual([]);
  });
});

const outOfOrder = (): PortFailure =>
  new PortFailure('ModelDeferred', 'out of order', {
    reason: 'outage',
    outage: 'ModelUnavailable',
    retryAfterMs: 3_600_000,
  });

describe('a question whose call cannot be made now', () => {
  it('parks the run where the account has no credit left, and goes on when it is resumed', async () => {
    const run = runs.runOf(abc, 1);
    run.fail('a', new PortFailure('ModelDeferred', 'no credit left', { reason: 'quota' }));
    const handle = await run.start();
    const { summary, waiting } = await until(run, (progress) => progress.summary.parked);
    expect(summary).toMatchObject({ heldBy: 'quota', ended: 0 });
    expect(waiting).toMatchObject([{ uuid: 'a', reason: 'quota', message: 'no credit left' }]);
    await resume(run);
    expect(await handle.result()).toMatchObject({ outcomes: { answered: 3 } });
  });

  it('waits as long as the provider has no room for it, and loses no attempt', async () => {
    const run = runs.runOf(['a'], 1, [], { modelAttempts: 1 });
    const full = { reason: 'rate-limit', retryAfterMs: 50 } as const;
    run.fail('a', ...[1, 2].map(() => new PortFailure('ModelDeferred', 'no room', full)));
    expect(await (await run.start()).result()).toMatchObject({
      outcomes: { answered: 1 },
      usage: { retries: 0 },
    });
    expect(run.asked()).toEqual(['a', 'a', 'a']);
  });

  it('waits while what it needs fails, and blocks no other', async () => {
    const run = runs.runOf(abc, 2, [], { modelAttempts: 1 });
    run.fail('a', outOfOrder());
    const handle = await run.start();
    const { waiting } = await until(
      run,
      ({ totals, summary }) => totals.turns === 2 && summary.waiting === 1,
    );
    expect(waiting).toMatchObject([
      { uuid: 'a', reason: 'outage', failure: 'ModelUnavailable', message: 'out of order' },
    ]);
    await resume(run);
    expect(await handle.result()).toMatchObject({ outcomes: { answered: 3 } });
  });

  it('can be skipped while it waits', async () => {
    const run = runs.runOf(['a'], 1, [], { modelAttempts: 1 });
    run.fail('a', outOfOrder());
    const handle = await run.start();
    await until(run, ({ summary }) => summary.waiting === 1);
    await skip(run, 'a');
    expect(await handle.result()).toMatchObject({ outcomes: { cancelled: 1 } });
  });
});
