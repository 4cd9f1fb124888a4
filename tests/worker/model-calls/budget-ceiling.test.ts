import { tmpdir } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import type { ModelPort, ModelRequest } from '../../../activities/ports/model.js';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import { sizeOf } from '../../../domain/budget/call-size.js';
import { runIdSchema } from '../../../domain/ids.js';
import { costOfCall, type Price } from '../../../domain/models/usage.js';
import type { ContentPart } from '../../../domain/models/chat-message.js';
import { defaultRunConfig } from '../../../domain/runs/run-config.js';
import { estimateTokens } from '../../../simulator/completion.js';
import { startSimulatedModel, type SimulatedModel } from '../../../simulator/simulated-model.js';
import type { SimulatorSettings } from '../../../simulator/simulator-options.js';
import { keysForAll } from '../../support/model-calls/keys-for-all.js';
import { openStorage } from '../../../storage/open-storage.js';
import { createBatchFiles } from '../../../worker/adapters/files/job-files.js';
import { leasedBudgets } from '../../../worker/model-calls/budget-lease.js';
import { openRunFiles } from '../../../storage/runs/run-files.js';
import { createModelCalls } from '../../../worker/model-calls/chain.js';
import { countSentCalls } from '../../../worker/model-calls/sent-calls.js';
import { FakeAccounts } from '../../support/fakes/fake-accounts.js';
import { LeasedRun } from '../../support/runs/leased-run.js';
import { testHome } from '../../support/test-home.js';

const run = runIdSchema.parse('capped');
const sentence = 'Which of the measured values exceeds the threshold of the second series? ';

let models: readonly SimulatedModel[] = [];
afterEach(async () => {
  await Promise.all(models.map((model) => model.close()));
  models = [];
});

async function endpoint(settings: SimulatorSettings): Promise<SimulatedModel> {
  const prompts = [{ includes: 'measured', reply: 'The third.' }];
  const script = { questions: [], prompts };
  const model = await startSimulatedModel({
    latencyMs: 5,
    jitter: 1,
    seed: 7,
    script,
    ...settings,
  });
  models = [...models, model];
  return model;
}

/** A request of `sentences` and `pictures`. */
function requestTo(
  { url: baseUrl }: SimulatedModel,
  { number = 0, sentences = 1, pictures = 0 },
): ModelRequest {
  const settings = { ...defaultRunConfig.model, baseUrl, model: 'simulated', maxTokens: 100 };
  const picture: ContentPart = {
    type: 'image_url',
    image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' },
  };
  const text: ContentPart = { type: 'text', text: `${number}: ${sentence.repeat(sentences)}` };
  const content = [text, ...Array.from({ length: pictures }, () => picture)];
  const messages = [{ role: 'user' as const, content }];
  return { ...settings, messages, run, capped: true };
}

const chainOf = (leased: LeasedRun, worker: string, cacheFolder = tmpdir()): ModelPort =>
  createModelCalls({
    budgets: leasedBudgets(leased.client, testHome),
    keys: keysForAll({ apiKey: undefined, keyIsFor: 'http://127.0.0.1' }),
    accounts: new FakeAccounts(),
    worker,
    cacheFolder,
    sentCalls: countSentCalls(new AbortController().signal),
    measured: (next) => next,
    batchFiles: createBatchFiles(openRunFiles(cacheFolder), openStorage(cacheFolder)),
  });

/** What the endpoint has billed. */
const billed = (model: SimulatedModel): number => {
  const { promptTokens, completionTokens } = model.stats();
  return promptTokens + completionTokens;
};

/** Makes all calls at the same time, and resolves to those that the budget deferred. */
async function callAll(
  workers: readonly ModelPort[],
  requests: readonly ModelRequest[],
): Promise<readonly ModelRequest[]> {
  const left = await Promise.all(
    requests.map(async (request, index) => {
      try {
        await workers[index % workers.length]?.complete(request, new AbortController().signal);
        return [];
      } catch (error) {
        expect(error).toBeInstanceOf(PortFailure);
        expect(error).toMatchObject({ type: 'ModelDeferred', options: { reason: 'budget' } });
        return [request];
      }
    }),
  );
  return left.flat();
}

/** As a run wakes what waits for its budget: another worker may have held what these calls need. */
async function callUntilAllEnd(
  workers: readonly ModelPort[],
  requests: readonly ModelRequest[],
): Promise<void> {
  for (let left = requests; left.length > 0;) {
    const fewer = await callAll(workers, left);
    expect(fewer.length).toBeLessThan(left.length);
    left = fewer;
  }
}

/** Adds what each reply costs, and notes the most that the run ever held or spent. */
function audited(
  port: ModelPort,
  leased: LeasedRun,
  price: Price,
): { readonly port: ModelPort; readonly audit: { usd: number; most: number } } {
  const audit = { usd: 0, most: 0 };
  return {
    audit,
    port: {
      complete: async (request, signal) => {
        try {
          const reply = await port.complete(request, signal);
          audit.usd += costOfCall(reply.tokens, price) ?? Infinity;
          return reply;
        } finally {
          audit.most = Math.max(audit.most, leased.committed.usd);
        }
      },
    },
  };
}

const capOf = (tokens: number) => ({ usd: null, tokens });

describe('a budget in tokens, with 100 calls in flight in two workers', () => {
  it('is never exceeded by pictures that are billed 25,000 tokens each, and lets all calls end once it is raised', async () => {
    const model = await endpoint({ tokensPerPicture: 25_000 });
    const leased = new LeasedRun(capOf(1_000_000));
    const workers = [chainOf(leased, 'a'), chainOf(leased, 'b')];
    const requests = Array.from({ length: 100 }, (_, number) =>
      requestTo(model, { number, pictures: 1 + (number % 3), sentences: 1 + (number % 7) }),
    );
    const left = await callAll(workers, requests);
    expect(billed(model)).toBeLessThanOrEqual(1_000_000);
    // Most of it is used: the calls that are left are those that it does not cover.
    expect(billed(model)).toBeGreaterThan(800_000);
    expect(left.length).toBeGreaterThan(50);
    expect(leased.committed.tokens).toBeLessThanOrEqual(1_000_000);
    leased.raise(capOf(6_000_000));
    await callUntilAllEnd(workers, left);
    expect(billed(model)).toBeLessThanOrEqual(6_000_000);
    expect(model.stats().completed).toBe(100);
  });

  it('sends no picture where less is left than a picture may be billed', async () => {
    const model = await endpoint({ tokensPerPicture: 25_000 });
    const leased = new LeasedRun(capOf(30_000));
    const requests = Array.from({ length: 100 }, (_, number) =>
      requestTo(model, { number, pictures: 1 }),
    );
    const left = await callAll([chainOf(leased, 'a'), chainOf(leased, 'b')], requests);
    expect(left).toHaveLength(100);
    expect(billed(model)).toBe(0);
  });

  it('is never exceeded by texts that are billed 1.6 times what is estimated', async () => {
    const text = requestTo(await endpoint({}), { sentences: 50 });
    const size = sizeOf(text);
    if (size.kind !== 'model') throw new Error('it calls a model');
    const counted = estimateTokens(`0: ${sentence.repeat(50)}`);
    const model = await endpoint({ textTokenRatio: (1.6 * size.text.estimated) / counted });
    const cap = 50 * size.text.estimated;
    const leased = new LeasedRun(capOf(cap));
    const workers = [chainOf(leased, 'a'), chainOf(leased, 'b')];
    const requests = Array.from({ length: 100 }, (_, number) =>
      requestTo(model, { number, sentences: 45 + (number % 11) }),
    );
    const left = await callAll(workers, requests);
    expect(billed(model)).toBeLessThanOrEqual(cap);
    expect(billed(model)).toBeGreaterThan(0.8 * cap);
    leased.raise(capOf(4 * cap));
    await callUntilAllEnd(workers, left);
    expect(billed(model)).toBeLessThanOrEqual(4 * cap);
    expect(model.stats().completed).toBe(100);
  });
});

describe('a budget in dollars, where prompts are written to a cache', () => {
  const apis = ['chat', 'responses', 'anthropic'] as const;
  it.each(
    apis.flatMap((api) =>
      [1.25, 2].flatMap((factor) => [0.5, 1].map((share) => ({ api, factor, share }))),
    ),
  )(
    'is never exceeded through the API $api at $factor times the price of a prompt, for a share of $share',
    async ({ api, factor, share }) => {
      const price = { input: 3, output: 15, cachedInput: 0.3, cacheWrite: factor * 3 };
      const model = await endpoint({ cacheWrites: share });
      const requests = Array.from({ length: 100 }, (_, number) => ({
        ...requestTo(model, { number, sentences: 45 + (number % 11) }),
        baseUrl: model.urls[api],
        api,
        price,
        maxTokens: 16,
      }));
      const cap = 0.2;
      const leased = new LeasedRun({ usd: cap, tokens: null });
      const workers = ['a', 'b'].map((worker) => audited(chainOf(leased, worker), leased, price));
      const left = await callAll(
        workers.map(({ port }) => port),
        requests,
      );
      const spent = workers.reduce((sum, { audit }) => sum + audit.usd, 0);
      const { promptTokens, completionTokens } = model.stats();
      const prompt = promptTokens * (1 - share + share * factor);
      expect(spent).toBeCloseTo((prompt * price.input + completionTokens * price.output) / 1e6, 3);
      expect(spent).toBeLessThanOrEqual(cap);
      expect(spent).toBeGreaterThan(0.5 * cap);
      expect(Math.max(...workers.map(({ audit }) => audit.most))).toBeLessThanOrEqual(cap + 1e-9);
      expect(left.length).toBeGreaterThan(0);
    },
  );
});
