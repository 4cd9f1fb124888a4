import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { beforeAll, describe, expect, it } from 'vitest';
import type { PanelMemberRef } from '../../activities/judging/review-panel.js';
import { noCap, type Amount } from '../../domain/budget/amount.js';
import { runIdSchema } from '../../domain/ids.js';
import type { CallAttempts } from '../../domain/models/call-attempts.js';
import type { Deferral } from '../../domain/runs/question-ref.js';
import type { CallMade, CallsProgress, FoundCalls } from '../../domain/scoring/open-calls.js';
import { reviewIdSchema } from '../../domain/scoring/review/panel.js';
import { callsQuery, workflowNames } from '../../workflows/messages.js';
import type { ReviewAnswersInput } from '../../workflows/jobs/call-jobs.js';
import { callOf } from '../support/model-calls/call-sizes.js';
import { eventually } from '../support/command-line.js';
import { bundleWorkflows, startTemporal } from '../support/temporal.js';

const taskQueue = 'open-calls';
const size = callOf(100);
const need: Amount = { usd: 0, tokens: 100 };
const spent: Amount = { usd: 0, tokens: 10 };

/** A job without files: each case has two reviewers, and then one meta-reviewer. */
class Job {
  readonly asked: string[] = [];
  /** What each call began with. */
  readonly before: (CallAttempts | undefined)[] = [];
  readonly done = new Set<string>();
  looks = 0;
  written = 0;
  inFlight = 0;
  peak = 0;
  /** What a call comes to, once each, by `index member`. */
  readonly next = new Map<string, Deferral | Error>();
  paidBefore: Amount = { usd: 0, tokens: 0 };

  constructor(readonly cases: number) {}

  open(index: number): FoundCalls['open'] {
    const isDone = (member: number): boolean => this.done.has(`${index} ${member}`);
    const members = isDone(0) && isDone(1) ? [2] : [0, 1];
    return members
      .filter((member) => !isDone(member))
      .map((member) => ({ index, member, key: 'k', size }));
  }

  async make(
    { index, member }: PanelMemberRef,
    before?: CallAttempts,
  ): Promise<CallMade | Deferral> {
    this.before.push(before);
    const key = `${index} ${member}`;
    this.asked.push(key);
    this.inFlight += 1;
    this.peak = Math.max(this.peak, this.inFlight);
    await new Promise((resolve) => setTimeout(resolve, 20));
    this.inFlight -= 1;
    const outcome = this.next.get(key);
    this.next.delete(key);
    if (outcome instanceof Error) throw outcome;
    if (outcome !== undefined) return outcome;
    this.done.add(key);
    return { kind: 'made', spent, billed: null, opened: this.open(index) };
  }
}

const jobs = new Map<string, Job>();
const jobOf = (run: string): Job => {
  const job = jobs.get(run);
  if (job === undefined) throw new Error(`there is no job ${run}`);
  return job;
};

let temporal: TestWorkflowEnvironment;
beforeAll(async () => {
  temporal = await startTemporal('limit.historyCount.suggestContinueAsNew=60');
  const worker = await Worker.create({
    connection: temporal.nativeConnection,
    taskQueue,
    workflowBundle: await bundleWorkflows(),
    activities: {
      findOpenReviews: ({ run, from }: PanelMemberRef & { from: number }): FoundCalls => {
        const job = jobOf(run);
        job.looks += 1;
        const end = Math.min(job.cases, from + 4);
        const indexes = Array.from({ length: end - from }, (_, place) => from + place);
        return {
          open: indexes.flatMap((index) => job.open(index)),
          next: end < job.cases ? end : null,
        };
      },
      reviewPanel: (ref: PanelMemberRef, before?: CallAttempts) => jobOf(ref.run).make(ref, before),
      writeReview: ({ run }: PanelMemberRef): Amount => {
        const job = jobOf(run);
        job.written += 1;
        return job.paidBefore;
      },
    },
  });
  const working = worker.run();
  return async () => {
    worker.shutdown();
    await working;
    await temporal.teardown();
  };
});

async function started(job: Job, changes: Partial<ReviewAnswersInput> = {}) {
  const run = runIdSchema.parse(randomUUID());
  jobs.set(run, job);
  const input: ReviewAnswersInput = {
    run,
    review: reviewIdSchema.parse('0123456789abcdef'),
    cases: job.cases,
    concurrency: 3,
    budget: noCap,
    modelTimeoutMs: 1000,
    modelAttempts: 2,
    ...changes,
  };
  return temporal.client.workflow.start<(given: ReviewAnswersInput) => Promise<CallsProgress>>(
    workflowNames.reviewAnswers,
    { workflowId: randomUUID(), taskQueue, args: [input] },
  );
}

const reviewed = async (job: Job, changes?: Partial<ReviewAnswersInput>): Promise<CallsProgress> =>
  (await started(job, changes)).result();

const failure = (retry: boolean): Error =>
  ApplicationFailure.create({
    message: 'HTTP 404',
    type: 'ModelRejectedRequest',
    nonRetryable: !retry,
  });

describe('the calls of a job', () => {
  it('are each made once, over several histories, as many at a time as there may be', async () => {
    const job = new Job(30);
    const handle = await started(job);
    const first = (await handle.describe()).runId;
    expect(await handle.result()).toMatchObject({
      next: 30,
      calls: 90,
      failures: [],
      parked: null,
    });
    expect(job.asked.toSorted()).toEqual([...job.done].toSorted());
    expect(job.asked).toHaveLength(90);
    expect(job.peak).toBe(3);
    expect((await handle.describe()).runId).not.toBe(first);
    // Before the first history, and after the last.
    expect(job.written).toBe(2);
  });

  it('of a meta-reviewer follow those of all reviewers of the panel', async () => {
    const job = new Job(6);
    await reviewed(job);
    for (let index = 0; index < 6; index += 1) {
      const own = job.asked.filter((key) => key.startsWith(`${index} `));
      expect(own.at(-1)).toBe(`${index} 2`);
    }
  });

  it('that fail leave their case open and stop no other', async () => {
    const job = new Job(5);
    job.next.set('1 0', failure(false));
    expect(await reviewed(job)).toMatchObject({
      next: 5,
      calls: 13,
      failures: [{ index: 1, member: 0, message: 'HTTP 404' }],
      // A call that the provider refused costs nothing.
      spent: { tokens: 13 * spent.tokens },
    });
    expect(job.done.has('1 2')).toBe(false);
    job.asked.length = 0;
    expect(await reviewed(job)).toMatchObject({ calls: 2, failures: [] });
    expect(job.asked).toEqual(['1 0', '1 2']);
  });

  it('are tried again where the failure may pass', async () => {
    const job = new Job(1);
    job.next.set('0 1', failure(true));
    expect(await reviewed(job)).toMatchObject({ calls: 3, failures: [] });
    expect(job.asked).toHaveLength(4);
  });

  it('wait while the provider takes none, and say why', async () => {
    const job = new Job(1);
    const reason = { kind: 'deferred', reason: 'rate-limit', message: 'no credit' } as const;
    job.next.set('0 0', { ...reason, retryAfterMs: 3_000 });
    const handle = await started(job);
    // Also before the first look is over.
    expect(await handle.query(callsQuery)).toMatchObject({ cases: 1 });
    const state = await eventually(async () => {
      const found = await handle.query(callsQuery);
      return found.waits === null ? null : found;
    });
    expect(state).toMatchObject({ waits: 'no credit', next: 0, cases: 1 });
    expect(await handle.result()).toMatchObject({ calls: 3, failures: [] });
  });

  it('wait while what they need fails, and say why', async () => {
    const job = new Job(4);
    const down = {
      ...({ kind: 'deferred', reason: 'outage', message: 'HTTP 503' } as const),
      ...({ failure: 'ModelUnavailable', retryAfterMs: 1_000 } as const),
    };
    for (const key of ['0 0', '0 1', '1 0']) job.next.set(key, down);
    const handle = await started(job);
    await eventually(async () =>
      (await handle.query(callsQuery)).waits === 'HTTP 503' ? 1 : null,
    );
    expect(await handle.result()).toMatchObject({
      calls: 12,
      failures: [],
      spent: { tokens: 12 * spent.tokens },
    });
    // All three are asked once more.
    expect(job.asked).toHaveLength(15);
  });

  it('fail where deferrals of one alone have used up its attempts, and make the others', async () => {
    const job = new Job(2);
    const refused = {
      ...({ kind: 'deferred', reason: 'rate-limit', message: 'Request too large' } as const),
      ...({ failure: 'ModelRateLimited', retryAfterMs: 10 } as const),
      attempts: { failed: 100, lost: 0, unanswered: 0 },
    };
    job.next.set('0 0', refused);
    const handle = await started(job);
    expect(await handle.result()).toMatchObject({
      failures: [{ index: 0, member: 0, message: 'Request too large' }],
    });
  });

  it('hand a paid reply on through an outage that is longer than their attempts', async () => {
    const job = new Job(1);
    const paid = { raw: 'fine' };
    job.next.set(
      '0 0',
      ApplicationFailure.create({
        message: 'away',
        type: 'RunFilesUnavailable',
        nonRetryable: true,
        details: [{ failed: 3, lost: 0, paid }],
      }),
    );
    const handle = await started(job);
    expect(await handle.result()).toMatchObject({
      calls: 3,
      failures: [],
      // What the call costs is known by its reply.
      spent: { tokens: 3 * spent.tokens },
    });
    expect(job.before.filter((before) => before !== undefined)).toEqual([
      { failed: 0, lost: 0, unanswered: 0, paid },
    ]);
  });

  it('stop before the budget is exceeded, and go on with a higher one', async () => {
    const job = new Job(8);
    // Each spends 10 and may cost 100: the first that would need more than 150 is not made.
    const parked = await reviewed(job, { budget: { usd: null, tokens: 150 } });
    expect(parked).toMatchObject({ parked: need, calls: 6, spent: { tokens: 60 } });
    expect(job.written).toBe(2);
    job.paidBefore = parked.spent;
    const again = await reviewed(job, { budget: { usd: null, tokens: 150 } });
    expect(again).toMatchObject({ parked: need, calls: 0 });
    const whole = await reviewed(job, { budget: { usd: null, tokens: 1000 } });
    expect(whole).toMatchObject({ parked: null, calls: 18, spent: { tokens: 240 } });
    expect(job.asked).toHaveLength(24);
  });

  it('are given up after too many failures, and what is left is not asked', async () => {
    const job = new Job(150);
    for (let index = 0; index < 150; index += 1)
      for (const member of [0, 1]) job.next.set(`${index} ${member}`, failure(false));
    const { failures, next } = await reviewed(job, { concurrency: 20 });
    expect(failures.length).toBeGreaterThanOrEqual(200);
    expect(failures.length).toBeLessThan(220);
    expect(next).toBeLessThan(150);
  });
});
