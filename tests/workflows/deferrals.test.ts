import { beforeAll, describe, expect, it } from 'vitest';
import { PortFailure } from '../../activities/ports/port-failure.js';
import type { FailureType } from '../../domain/failure-type.js';
import type { RunProgress } from '../../domain/runs/run-progress.js';
import { progressQuery, resumeRunUpdate } from '../../workflows/messages.js';
import { eventually } from '../support/command-line.js';
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

/** As the guard of a dependency defers calls while the dependency fails. */
const down = (retryAfterMs: number, outage: FailureType = 'ModelUnavailable'): PortFailure =>
  new PortFailure('ModelDeferred', 'every call fails', { reason: 'outage', outage, retryAfterMs });

const until = ({ handle }: TestRun, isWanted: (progress: RunProgress) => boolean) =>
  eventually(async () => {
    const progress = await handle.query(progressQuery);
    return isWanted(progress) ? progress : null;
  });

describe('a run whose questions wait in an outage', () => {
  it('starts no more of them, says why, and goes on by itself', async () => {
    const run = runs.runOf(['a', 'b', 'c', 'd'], 3, [], { holdAfter: 2 });
    // The third call finds the run held and waits as well. All three wait together even on a slow machine.
    for (const name of ['a', 'b', 'c']) run.fail(name, down(10_000));
    const handle = await run.start();
    const { summary, waiting } = await until(run, (progress) => progress.waiting.length === 3);
    expect(summary).toMatchObject({ heldBy: 'outage', parked: false, ended: 0 });
    expect(waiting[0]).toMatchObject({ failure: 'ModelUnavailable', message: 'every call fails' });
    expect(run.asked().toSorted()).toEqual(['a', 'b', 'c']);
    expect(await handle.result()).toMatchObject({ outcomes: { answered: 4 } });
    expect(run.asked().toSorted()).toEqual(['a', 'a', 'b', 'b', 'c', 'c', 'd']);
  });

  it('is told once by each question, however long it lasts', async () => {
    const run = runs.runOf(['a'], 1);
    run.fail('a', ...Array.from({ length: 12 }, () => down(20)));
    const handle = await run.start();
    expect(await handle.result()).toMatchObject({
      outcomes: { answered: 1 },
      usage: { retries: 0 },
    });
    const { events } = await handle.fetchHistory();
    const signals = (events ?? []).map(
      (event) => event.workflowExecutionSignaledEventAttributes?.signalName,
    );
    expect(signals.filter((name) => name === 'questionWaits')).toHaveLength(1);
    expect(signals.filter((name) => name === 'questionGoesOn')).toHaveLength(1);
  });

  it('goes on at once where a person resumes it', async () => {
    const run = runs.runOf(['a'], 1);
    run.fail('a', down(3_600_000));
    const handle = await run.start();
    await until(run, ({ summary }) => summary.waiting === 1);
    await handle.executeUpdate(resumeRunUpdate);
    expect(await handle.result()).toMatchObject({ outcomes: { answered: 1 } });
  });

  it('is held where they end, until a person lets it go on', async () => {
    const run = runs.runOf(['a', 'b', 'c'], 1, [], { onFailure: 'end', holdAfter: 2 });
    for (const name of ['a', 'b']) run.fail(name, down(1_000, 'ModelRefusedKey'));
    const handle = await run.start();
    const { summary, failedInRow } = await until(run, (progress) => progress.summary.parked);
    expect(summary).toMatchObject({ heldBy: 'failures', ended: 2, inFlight: 0 });
    expect(failedInRow).toEqual({
      failure: 'ModelRefusedKey',
      message: 'every call fails',
      count: 2,
    });
    expect(run.asked()).toEqual(['a', 'b']);
    await handle.executeUpdate(resumeRunUpdate);
    expect(await handle.result()).toMatchObject({ outcomes: { 'infra-error': 2, answered: 1 } });
  });

  it('is held where the first questions do not fit the context of the model', async () => {
    const run = runs.runOf(['a', 'b', 'c'], 1, [], { holdAfter: 2 });
    for (const name of ['a', 'b']) run.fail(name, new PortFailure('ContextOverflow', 'too long'));
    const handle = await run.start();
    const { summary, failedInRow } = await until(run, (progress) => progress.summary.parked);
    expect(summary).toMatchObject({ heldBy: 'failures', ended: 2, inFlight: 0 });
    expect(failedInRow).toMatchObject({ outcome: 'context-overflow', message: 'too long' });
    await handle.executeUpdate(resumeRunUpdate);
    expect(await handle.result()).toMatchObject({
      outcomes: { 'context-overflow': 2, answered: 1 },
    });
  });

  it('is held also where waiting helps none of them', async () => {
    const run = runs.runOf(['a', 'b', 'c'], 1, [], { holdAfter: 2 });
    for (const name of ['a', 'b'])
      run.fail(name, new PortFailure('ModelRejectedRequest', 'no such setting'));
    const handle = await run.start();
    expect((await until(run, ({ summary }) => summary.parked)).summary).toMatchObject({
      heldBy: 'failures',
      ended: 2,
    });
    await handle.executeUpdate(resumeRunUpdate);
    await handle.result();
  });
});

describe('a question whose statement fails of the store', () => {
  it('waits, and keeps the reply that asked for the statement', async () => {
    const run = runs.runOf(['a'], 1);
    run.query('a');
    const gone = (): PortFailure => new PortFailure('StoreMissing', 'there is no store');
    // As a local activity, and through the queue.
    runs.failQueries(gone(), gone());
    const handle = await run.start();
    const { waiting } = await until(run, ({ summary }) => summary.waiting === 1);
    expect(waiting).toMatchObject([{ reason: 'outage', failure: 'StoreMissing' }]);
    await handle.executeUpdate(resumeRunUpdate);
    expect(await handle.result()).toMatchObject({ outcomes: { answered: 1 }, turns: 2 });
    expect(run.asked()).toEqual(['a', 'a']);
  });
});

describe('a question that fails alone', () => {
  it('ends when its attempts are used up', async () => {
    const run = runs.runOf(['a', 'b', 'c'], 2, [], { modelAttempts: 2 });
    run.fail('a', ...[1, 2].map(() => new PortFailure('ModelUnavailable', 'slow')));
    const handle = await run.start();
    expect(await handle.result()).toMatchObject({ outcomes: { 'infra-error': 1, answered: 2 } });
    expect(run.asked().filter((name) => name === 'a')).toHaveLength(2);
  });

  it('ends at the deferrals that count, also between attempts that fail and others that do not', async () => {
    const refused = (): PortFailure =>
      new PortFailure('ModelDeferred', 'Request too large', {
        reason: 'rate-limit',
        outage: 'ModelRateLimited',
        retryAfterMs: 20,
        counts: true,
      });
    const full = new PortFailure('ModelDeferred', 'no room', {
      reason: 'rate-limit',
      retryAfterMs: 20,
    });
    const run = runs.runOf(['a', 'b'], 2, [], { modelAttempts: 3 });
    const slow = new PortFailure('ModelUnavailable', 'slow');
    run.fail('a', refused(), full, slow, refused());
    const handle = await run.start();
    const totals = await handle.result();
    expect(totals).toMatchObject({ outcomes: { 'infra-error': 1, answered: 1 } });
    expect(run.asked().filter((name) => name === 'a')).toHaveLength(4);
  });
});
