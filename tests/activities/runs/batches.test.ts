import { afterAll, describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../../activities/ports/model.js';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import type { RunFilesPort } from '../../../activities/ports/run-files.js';
import {
  createAdvanceBatch,
  createCollectCalls,
  storedBatches,
} from '../../../activities/runs/batches.js';
import { modelApis, type ModelApi } from '../../../domain/model-api.js';
import type { BatchProgress } from '../../../domain/runs/batches.js';
import { requestBody } from '../../../domain/models/apis/request-body.js';
import { defaultRunConfig } from '../../../domain/runs/run-config.js';
import type { SimulatorSettings } from '../../../simulator/simulator-options.js';
import { sha256Of } from '../../../storage/sha256.js';
import { startSimulatedModel, type SimulatedModel } from '../../../simulator/simulated-model.js';
import { createBatchFiles } from '../../../worker/adapters/files/job-files.js';
import { createFolderStorage } from '../../../storage/folder-storage.js';
import { createBatches } from '../../../worker/adapters/model-apis/batches.js';
import { batching } from '../../../worker/model-calls/chain.js';
import { eventually } from '../../support/command-line.js';
import { keysForAll } from '../../support/model-calls/keys-for-all.js';
import { runActivity } from '../../support/run-activity.js';
import { sampleKey } from '../../support/runs/example-records.js';
import { runInFolder } from '../../support/runs/run-in-folder.js';

const models: SimulatedModel[] = [];
afterAll(() => Promise.all(models.map((model) => model.close())));

const keys = keysForAll({ apiKey: undefined, keyIsFor: 'http://127.0.0.1' });
const price = { input: 3, output: 7 };
const answering = { prompts: [{ includes: 'Why', reply: 'So.' }] };

/** A run whose questions ask a simulated model in batches. */
async function batchesUnderTest(api: ModelApi, settings: SimulatorSettings = {}) {
  const model = await startSimulatedModel({ script: answering, ...settings });
  models.push(model);
  const { manifest, runFiles } = runInFolder([{ uuid: 'q1', question: 'Why?' }]);
  const { run } = manifest;
  const owner = { run };
  const batchFiles = createBatchFiles(runFiles, createFolderStorage('unused'));
  const ports = {
    batches: createBatches(keys),
    clock: { now: () => new Date().toISOString() },
    batchFiles,
    runFiles,
  };
  const requestOf = (name: string, asking = 1): ModelRequest => ({
    ...defaultRunConfig.model,
    ...{ api, baseUrl: model.urls[api], model: 'm', price, run },
    messages: [{ role: 'user', content: `Why ${name}?` }],
    batched: { owner, ...sampleKey(name), asking, call: 'turn 1' },
  });
  const ask = (name: string, asking?: number) =>
    batching(batchFiles, keys)
      .complete(requestOf(name, asking), new AbortController().signal)
      .catch((error: unknown) => error as PortFailure);
  return {
    ...{ model, run, runFiles, files: batchFiles(owner), ask, requestOf },
    collect: (names: readonly string[], number = 1) =>
      runActivity(createCollectCalls(ports), {
        ...{ owner, seed: 's' },
        keys: names.map((name) => sampleKey(name)),
        number,
      }),
    advance: (
      instead?: 'hold' | 'cancel',
      files: RunFilesPort = runFiles,
      number = 1,
    ): Promise<BatchProgress> =>
      runActivity(
        createAdvanceBatch({
          ...ports,
          batchFiles: createBatchFiles(files, createFolderStorage('unused')),
        }),
        {
          ...{ owner, number },
          ...(instead && { instead }),
        },
      ),
  };
}

type UnderTest = Awaited<ReturnType<typeof batchesUnderTest>>;

const untilEnded = ({ advance }: UnderTest, number = 1): Promise<BatchProgress> =>
  eventually(async () => {
    const progress = await advance(undefined, undefined, number);
    return progress.spent === null ? null : progress;
  });

/** Run files whose worker is killed after it has made a batch, before it notes that. */
const forgetful = (runFiles: RunFilesPort): RunFilesPort => ({
  ...runFiles,
  saveText: (run, file, text) =>
    /"id":"(batch|batches)[_/]/.test(text)
      ? Promise.reject(new PortFailure('RunFilesUnavailable', 'killed'))
      : runFiles.saveText(run, file, text),
});

describe.each(modelApis)('a batch of %s', (api) => {
  it('is submitted once by workers that are killed before they note it', async () => {
    const batch = await batchesUnderTest(api, { batchMs: 300 });
    for (const name of ['a', 'b', 'c']) await batch.ask(name);
    await batch.collect(['a', 'b', 'c']);
    await expect(batch.advance(undefined, forgetful(batch.runFiles))).rejects.toThrow('killed');
    expect(batch.model.stats().batches).toBe(1);
    const { spent } = await untilEnded(batch);
    const stats = batch.model.stats();
    expect(stats).toMatchObject({ batches: 1, completed: 3 });
    const { promptTokens, completionTokens } = stats;
    expect(spent).toEqual({
      usd: expect.closeTo((3 * promptTokens + 7 * completionTokens) / 1e6, 10) as number,
      tokens: promptTokens + completionTokens,
    });
    const digest = expect.stringMatching(/^[0-9a-f]{64}$/) as unknown;
    expect(await batch.ask('a')).toMatchObject({
      ...{ batched: true, finishReason: 'stop' },
      exchange: {
        request: sha256Of(JSON.stringify(requestBody(batch.requestOf('a')))),
        reply: digest,
      },
    });
  });

  it('counts once however often its end is found', async () => {
    const batch = await batchesUnderTest(api, { batchMs: 0 });
    await batch.ask('a');
    await batch.collect(['a']);
    const { spent } = await untilEnded(batch);
    expect((await batch.advance()).spent).toEqual(spent);
    expect(await storedBatches(batch.files)).toHaveLength(1);
  });

  it('is cancelled, and leaves its calls to others', async () => {
    const batch = await batchesUnderTest(api, { batchMs: 60_000 });
    await batch.ask('a');
    await batch.collect(['a']);
    await batch.advance();
    const ended = await eventually(async () => {
      const progress = await batch.advance('cancel');
      return progress.spent === null ? null : progress;
    });
    expect(ended.spent).toEqual({ usd: 0, tokens: 0 });
    // To be collected.
    expect(await batch.ask('a')).toMatchObject({ options: { reason: 'batch' } });
    expect((await batch.ask('a')) as PortFailure).not.toHaveProperty('options.batch');
  });
});

describe('a batch', () => {
  it('says to its calls that they are in it', async () => {
    const batch = await batchesUnderTest('chat', { batchMs: 60_000 });
    await batch.ask('a');
    await batch.collect(['a']);
    expect(await batch.ask('a')).toMatchObject({ options: { reason: 'batch', batch: 1 } });
    // Also when the question is asked again.
    expect(await batch.ask('a', 2)).toMatchObject({ options: { batch: 1 } });
    expect(await batch.collect(['a'], 2)).toEqual({ batches: [] });
  });

  it('is made with the same calls by an attempt after one that was killed', async () => {
    const batch = await batchesUnderTest('chat');
    for (const name of ['a', 'b']) await batch.ask(name);
    const [first, second] = [await batch.collect(['a', 'b']), await batch.collect(['a', 'b'])];
    expect(second).toEqual(first);
    expect(await storedBatches(batch.files)).toHaveLength(1);
  });

  it('is not submitted while it is held, and is not begun where it is cancelled before', async () => {
    const batch = await batchesUnderTest('chat');
    await batch.ask('a');
    await batch.collect(['a']);
    expect(await batch.advance('hold')).toMatchObject({ spent: null, waits: { reason: 'batch' } });
    expect(await batch.advance('cancel')).toMatchObject({ spent: { usd: 0 } });
    expect(batch.model.stats().batches).toBe(0);
  });

  it('says why it waits where it is refused, and is submitted later', async () => {
    const batch = await batchesUnderTest('anthropic', { refusedBatches: 1, batchMs: 0 });
    await batch.ask('a');
    await batch.collect(['a']);
    const { waits } = await batch.advance();
    expect(waits).toMatchObject({ reason: 'rate-limit', failure: 'ModelRateLimited' });
    expect(waits.message).toMatch(/429/);
    await untilEnded(batch);
    expect(batch.model.stats()).toMatchObject({ batches: 1, completed: 1 });
  });

  it('gives a call the failure that no other try mends, and asks again for a retry', async () => {
    const batch = await batchesUnderTest('chat', { batchMs: 0, script: {} });
    await batch.ask('a');
    await batch.collect(['a']);
    await untilEnded(batch);
    expect(await batch.ask('a')).toMatchObject({ type: 'ModelRejectedRequest' });
    expect(await batch.ask('a', 2)).toMatchObject({ options: { reason: 'batch' } });
  });

  it('gives a call a failure that another try may mend when its tries are used up', async () => {
    const batch = await batchesUnderTest('chat', { batchMs: 0, faults: { '500': 1 } });
    const { modelAttempts } = defaultRunConfig;
    for (let number = 1; number <= modelAttempts; number += 1) {
      expect(await batch.ask('a')).toMatchObject({ type: 'ModelDeferred' });
      await batch.collect(['a'], number);
      await untilEnded(batch, number);
    }
    expect(await batch.ask('a')).toMatchObject({ type: 'ModelUnavailable' });
    expect(batch.model.stats().failed).toBe(modelAttempts);
  });

  it('does not hold a call whose question has asked something else since', async () => {
    const batch = await batchesUnderTest('chat', { batchMs: 0 });
    for (const name of ['a', 'b']) await batch.ask(name);
    await batch.collect(['a', 'b']);
    await batch.runFiles.removeText(batch.run, 'batches/waiting/b.json');
    await untilEnded(batch);
    expect(batch.model.stats().completed).toBe(1);
  });
});
