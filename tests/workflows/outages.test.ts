import { beforeAll, describe, expect, it } from 'vitest';
import { PortFailure } from '../../activities/ports/port-failure.js';
import type { RunProgress } from '../../domain/runs/run-progress.js';
import { progressQuery, resumeRunUpdate, wakeQuestionSignal } from '../../workflows/messages.js';
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

const refusedKey = (): PortFailure => new PortFailure('ModelRefusedKey', 'the key is refused');
const until = ({ handle }: TestRun, isWanted: (progress: RunProgress) => boolean) =>
  eventually(async () => {
    const progress = await handle.query(progressQuery);
    return isWanted(progress) ? progress : null;
  });

describe('a run whose questions all fail of the same thing outside of them', () => {
  it('starts no more of them, lets one try by itself, and goes on when that succeeds', async () => {
    const run = runs.runOf(['a', 'b', 'c', 'd'], 3, [], { holdAfter: 2 });
    // The third call finds the run held and waits as well.
    for (const name of ['a', 'b', 'c']) run.fail(name, refusedKey());
    const handle = await run.start();
    const { summary, outages } = await until(run, ({ waiting }) => waiting.length === 3);
    expect(summary).toMatchObject({ heldBy: 'outage', parked: false, ended: 0 });
    expect(outages).toMatchObject([{ failure: 'ModelRefusedKey', questions: 3 }]);
    expect(run.asked().toSorted()).toEqual(['a', 'b', 'c']);
    expect(await handle.result()).toMatchObject({ outcomes: { answered: 4 } });
    expect(run.asked().toSorted()).toEqual(['a', 'a', 'b', 'b', 'c', 'c', 'd']);
  });

  it('is held where they end, until a person lets it go on', async () => {
    const run = runs.runOf(['a', 'b', 'c'], 1, [], { onFailure: 'end', holdAfter: 2 });
    for (const name of ['a', 'b']) run.fail(name, refusedKey());
    const handle = await run.start();
    const { summary, failedInRow } = await until(run, (progress) => progress.summary.parked);
    expect(summary).toMatchObject({ heldBy: 'failures', ended: 2, inFlight: 0 });
    expect(failedInRow).toEqual({
      failure: 'ModelRefusedKey',
      message: 'the key is refused',
      count: 2,
    });
    expect(run.asked()).toEqual(['a', 'b']);
    await handle.executeUpdate(resumeRunUpdate);
    expect(await handle.result()).toMatchObject({ outcomes: { 'infra-error': 2, answered: 1 } });
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

describe('a question that fails while others are answered', () => {
  it('ends after four failures', async () => {
    const run = runs.runOf(['a', 'b', 'c'], 2, [], { holdAfter: 2, modelAttempts: 1 });
    run.fail('a', ...Array.from({ length: 4 }, () => new PortFailure('ModelUnavailable', 'slow')));
    const handle = await run.start();
    await until(run, ({ summary }) => summary.ended === 2 && summary.waiting === 1);
    for (let failed = 2; failed <= 4; failed += 1) {
      await run.question('a').signal(wakeQuestionSignal);
      await run.untilAsked('a', failed);
    }
    expect(await handle.result()).toMatchObject({ outcomes: { 'infra-error': 1, answered: 2 } });
  });
});
