import { describe, expect, it } from 'vitest';
import type { ModelPort } from '../../../activities/ports/model.js';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import { createProbeModel, type ProbeModelInput } from '../../../activities/runs/probe-model.js';
import { noAmount } from '../../../domain/budget/amount.js';
import { probeMessage } from '../../../domain/runs/probe-requests.js';
import type { ProbeOutcome } from '../../../domain/runs/probes.js';
import type { RunConfig } from '../../../domain/runs/run-config.js';
import { createBatches } from '../../../worker/adapters/model-apis/batches.js';
import { keysForAll } from '../../support/model-calls/keys-for-all.js';
import { FakeModel } from '../../support/fakes/fake-model.js';
import { runActivity } from '../../support/run-activity.js';
import { exampleManifest } from '../../support/runs/example-manifest.js';
import { runInFolder } from '../../support/runs/run-in-folder.js';

const { model: settings } = exampleManifest().config;
const price = { input: 1, output: 2 };

function probe(
  model: ModelPort,
  config: Partial<RunConfig> = {},
  more: Partial<ProbeModelInput> = {},
): Promise<ProbeOutcome> {
  const { manifest, runFiles } = runInFolder([{ uuid: 'q1', question: 'Why?' }], (example) => ({
    ...example,
    config: { ...example.config, ...config },
  }));
  let now = 0;
  const clock = { now: () => new Date((now += 400)).toISOString() };
  const keys = keysForAll({ apiKey: undefined, keyIsFor: settings.baseUrl });
  const batches = createBatches(keys);
  const probeModel = createProbeModel({ model, runFiles, clock, batches });
  return runActivity(probeModel, { run: manifest.run, model: 0, ...more });
}

describe('probeModel', () => {
  it("makes one small call with the run's own settings, and says what it has cost", async () => {
    const model = new FakeModel('OK');
    const extraBody = { top_k: 5 };
    const asked = { ...settings, temperature: 0.3, extraBody, price, cache: true };
    expect(await probe(model, { model: asked })).toEqual({
      kind: 'answered',
      model: 'a-model',
      spent: { calls: 1, promptTokens: 100, completionTokens: 10, costUsd: 120e-6 },
      ms: 400,
    });
    expect(model.requests).toMatchObject([
      {
        ...{ model: 'a-model', temperature: 0.3, extraBody, maxTokens: 64, cache: false },
        ...{ timeoutMs: 60_000, messages: [{ role: 'user', content: probeMessage }] },
      },
    ]);
    // The budget is the workflow's matter: nobody reserves anything.
    expect(model.requests[0]?.run).toBeUndefined();
  });

  it.each(['refused', 'filtered', 'stop'] as const)(
    'takes an empty reply that ends with %s as an answer',
    async (finishReason) => {
      const tokens = { prompt: 100, completion: 10, cached: 0 };
      const reply = { content: '', finishReason, model: 'a-model', tokens };
      expect(await probe({ complete: () => Promise.resolve(reply) })).toMatchObject({
        kind: 'answered',
        spent: { promptTokens: 100 },
      });
    },
  );

  it('stays below the token limit of the run', async () => {
    const model = new FakeModel('OK');
    await probe(model, { model: { ...settings, maxTokens: 20 } });
    expect(model.requests).toMatchObject([{ maxTokens: 20 }]);
  });

  it('gives a model that refuses so small a limit that of the run', async () => {
    const refusal = new PortFailure('ModelRejectedRequest', 'The limit is too low.');
    const model = new FakeModel(refusal, 'OK');
    expect(await probe(model)).toMatchObject({ kind: 'answered' });
    expect(model.requests.map(({ maxTokens }) => maxTokens)).toEqual([64, settings.maxTokens]);
    const always = new FakeModel(refusal, refusal);
    expect(await probe(always)).toMatchObject({ failure: 'ModelRejectedRequest' });
  });

  it.each<[PortFailure, object]>([
    [
      new PortFailure('ModelRefusedKey', 'No key.', { keyMissing: true }),
      { kind: 'failed', failure: 'ModelRefusedKey', message: 'No key.', keyMissing: true },
    ],
    [
      new PortFailure('ModelUnknown', 'No model.'),
      { kind: 'failed', failure: 'ModelUnknown', message: 'No model.' },
    ],
    [
      new PortFailure('ModelDeferred', 'No credit.', { reason: 'quota' }),
      { kind: 'failed', failure: 'ModelQuotaSpent', message: 'No credit.' },
    ],
    [
      new PortFailure('ModelDeferred', 'Later.', { reason: 'rate-limit' }),
      { kind: 'postponed', message: 'Later.' },
    ],
    [
      new PortFailure('ModelRepliedNonsense', 'No text.', { mayBePaid: true }),
      { kind: 'unusable', message: 'No text.', spent: { calls: 1, completionTokens: 64 } },
    ],
    [new PortFailure('ContextOverflow', 'Too long.'), { kind: 'unusable', message: 'Too long.' }],
  ])('makes of $type: $message an outcome', async (failure, outcome) => {
    expect(await probe(new FakeModel(failure))).toMatchObject({ model: 'a-model', ...outcome });
  });

  it.each(['ModelUnavailable', 'ModelRepliedNonsense'] as const)(
    'fails of %s, so that it is tried again',
    async (type) => {
      await expect(probe(new FakeModel(new PortFailure(type, 'Not now.')))).rejects.toMatchObject({
        type,
        nonRetryable: false,
      });
    },
  );

  it('makes no call that the budget does not cover', async () => {
    const config = { budget: { usd: null, tokens: 70 } };
    const none = new FakeModel();
    const spent = { usd: 0, tokens: 60 };
    expect(await probe(none, config, { spent })).toMatchObject({ kind: 'postponed' });
    const roomy = { budget: { usd: null, tokens: 200 } };
    const made = await probe(new FakeModel('OK'), roomy, { spent: noAmount });
    expect(made).toMatchObject({ kind: 'answered' });
  });
});
