import { setImmediate as immediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createAskModel } from '../../activities/ask-model.js';
import type { ModelPort } from '../../activities/ports/model.js';
import { PortFailure } from '../../activities/ports/port-failure.js';
import type { SpendingPort } from '../../activities/ports/spending.js';
import { nothing, type Amount } from '../../domain/budget/amount.js';
import { askedHereAtMost, stepsAtOnce } from '../../domain/questions/asked-here.js';
import type { TurnRef } from '../../domain/questions/question-ref.js';
import { FakeModel } from '../support/fake-model.js';
import { freeSpending } from '../support/free-spending.js';
import { questionInFolder } from '../support/question-in-folder.js';
import { refusingRunFiles } from '../support/refusing-run-files.js';
import { runActivity } from '../support/run-activity.js';

const clock = { now: () => '2026-01-01T00:00:00.000Z' };
const answer = '[Thought]: seen\n[Action]: GenerateAnswer(answer=20)';
const left = { kind: 'left-to-queue', because: expect.any(String) as string };

type AskModel = ReturnType<typeof createAskModel>;

/** As a local activity that was scheduled so long ago. */
const askHere = (askModel: AskModel, turn: TurnRef, lateMs = 0) =>
  runActivity(askModel, turn, {
    info: { isLocal: true, currentAttemptScheduledTimestampMs: Date.now() - lateMs },
  });

const notWanted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });

describe('askModel as a local activity', () => {
  it('asks, and stores the reply', async () => {
    const { runFiles, ref } = questionInFolder();
    const model = new FakeModel(answer);
    const askModel = createAskModel({ spending: freeSpending, model, runFiles, clock });
    const turn = { ...ref, turn: 1 };
    expect(await askHere(askModel, turn)).toMatchObject({ action: 'GenerateAnswer', brisk: true });
    expect(await runFiles.reply(ref.run, ref, 1)).toMatchObject({ raw: answer, retries: 0 });
    expect(await askHere(askModel, turn, 60_000)).toMatchObject({ action: 'GenerateAnswer' });
    expect(model.requests).toHaveLength(1);
  });

  it('leaves to the queue what it comes to late', async () => {
    const { runFiles, ref } = questionInFolder();
    const model = new FakeModel();
    const askModel = createAskModel({ spending: freeSpending, model, runFiles, clock });
    expect(await askHere(askModel, { ...ref, turn: 1 }, 60_000)).toEqual(left);
    expect(model.requests).toEqual([]);
  });

  it('leaves to the queue what is left to be asked when the worker is to end', async () => {
    const { runFiles, ref } = questionInFolder();
    const model = new FakeModel();
    const workerEnds = AbortSignal.abort();
    const askModel = createAskModel({ spending: freeSpending, model, runFiles, clock, workerEnds });
    expect(await askHere(askModel, { ...ref, turn: 1 })).toEqual(left);
    expect(model.requests).toEqual([]);
  });

  it('has no more calls under way than it may', async () => {
    const { runFiles, ref } = questionInFolder();
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const fake = new FakeModel(answer);
    const model: ModelPort = {
      complete: async (request) => {
        await released;
        return fake.complete(request);
      },
    };
    const askModel = createAskModel({ spending: freeSpending, model, runFiles, clock });
    const turn = { ...ref, turn: 1 };
    const asked = Array.from({ length: askedHereAtMost }, () => askHere(askModel, turn));
    expect(await askHere(askModel, turn)).toEqual(left);
    release();
    await Promise.allSettled(asked);
  });

  it('lets a few questions at a time go from their replies to their next calls', async () => {
    // Nobody's time for that is ever over.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { runFiles, ref } = questionInFolder();
    const model = new FakeModel(...Array.from({ length: stepsAtOnce + 1 }, () => answer));
    const askModel = createAskModel({ spending: freeSpending, model, runFiles, clock });
    const through: number[] = [];
    const epochs = Array.from({ length: stepsAtOnce + 1 }, (_, index) => index + 1);
    for (const epoch of epochs) {
      void askHere(askModel, { ...ref, epoch, turn: 1 }).then(() => through.push(epoch));
    }
    const isStored = async (epoch: number): Promise<boolean> =>
      (await runFiles.reply(ref.run, { ...ref, epoch }, 1)) !== null;
    while ((await Promise.all(epochs.map(isStored))).includes(false)) await immediate();
    while (through.length < stepsAtOnce) await immediate();
    expect(through).toHaveLength(stepsAtOnce);
    // One is at its next call, whatever becomes of that.
    const next = { ...ref, epoch: Number(through[0]), turn: 2 };
    void askHere(askModel, next).catch(() => undefined);
    while (through.length < epochs.length) await immediate();
  });

  it('leaves to the queue what has to wait for its turn, and pays nothing', async () => {
    const { runFiles, ref } = questionInFolder();
    const settled: Amount[] = [];
    const spending: SpendingPort = {
      reserve: () =>
        Promise.resolve({ kind: 'reserved', settle: (amount) => void settled.push(amount) }),
    };
    const model: ModelPort = {
      complete: (_, signal, tell) => {
        tell?.('waits for its turn');
        return notWanted(signal);
      },
    };
    const askModel = createAskModel({ spending, model, runFiles, clock });
    expect(await askHere(askModel, { ...ref, turn: 1 })).toEqual(left);
    expect(settled).toEqual([nothing]);
  });

  it('leaves to the queue what has to wait for the budget', async () => {
    const { runFiles, ref } = questionInFolder();
    const spending: SpendingPort = { reserve: (_run, _need, signal) => notWanted(signal) };
    const model = new FakeModel();
    const askModel = createAskModel({ spending, model, runFiles, clock });
    expect(await askHere(askModel, { ...ref, turn: 1 })).toEqual(left);
  });

  it.each([
    ['at once, as far as the provider says', {}, 1_000],
    ['when the provider says', { retryAfterMs: 30_000 }, 30_000],
  ])('has a call that failed made again through the queue, %s', async (_, options, afterMs) => {
    const { runFiles, ref } = questionInFolder();
    const failure = new PortFailure('ModelUnavailable', '503', options);
    const model = new FakeModel(failure);
    const askModel = createAskModel({ spending: freeSpending, model, runFiles, clock });
    expect(await askHere(askModel, { ...ref, turn: 1 })).toEqual({
      kind: 'left-to-queue',
      because: '503',
      tries: 1,
      afterMs,
    });
  });

  it('fails where the same request would fail again', async () => {
    const { runFiles, ref } = questionInFolder();
    const model = new FakeModel(new PortFailure('ModelRefusedKey', '401'));
    const askModel = createAskModel({ spending: freeSpending, model, runFiles, clock });
    await expect(askHere(askModel, { ...ref, turn: 1 })).rejects.toMatchObject({
      type: 'ModelRefusedKey',
      nonRetryable: true,
    });
  });

  it('hands a reply that is paid for and cannot be stored to the queue, which does not ask again', async () => {
    const { runFiles, ref } = questionInFolder();
    const refusing = refusingRunFiles(runFiles);
    refusing.refuse(1);
    const model = new FakeModel(answer);
    const ports = { spending: freeSpending, model, runFiles: refusing, clock };
    const askModel = createAskModel(ports);
    const turn = { ...ref, turn: 1 };
    const unstored = await askHere(askModel, turn);
    expect(unstored).toMatchObject({ ...left, paid: { raw: answer } });
    if (unstored.kind !== 'left-to-queue') return;
    const { paid } = unstored;
    const said = await runActivity(
      (ref: TurnRef) => askModel(ref, { ...(paid && { paid }) }),
      turn,
    );
    expect(said).toMatchObject({ action: 'GenerateAnswer' });
    expect(await runFiles.reply(ref.run, ref, 1)).toMatchObject({ raw: answer });
    expect(model.requests).toHaveLength(1);
  });

  it('counts the tries that were made here', async () => {
    const { runFiles, ref } = questionInFolder();
    const model = new FakeModel(answer);
    const askModel = createAskModel({ spending: freeSpending, model, runFiles, clock });
    await runActivity((turn: TurnRef) => askModel(turn, { tries: 1 }), { ...ref, turn: 1 });
    expect(await runFiles.reply(ref.run, ref, 1)).toMatchObject({ retries: 1 });
  });
});
