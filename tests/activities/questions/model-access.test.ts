import { mkdtempSync } from 'node:fs';
import { FakeQuestions } from '../../support/fakes/fake-questions.js';
import { noAgent } from '../../support/fakes/no-agent.js';
import { noDatabases } from '../../support/fakes/no-databases.js';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAskModel } from '../../../activities/questions/ask-model.js';
import { createEndQuestion } from '../../../activities/questions/end-question.js';
import type { ModelPort, ModelReply } from '../../../activities/ports/model.js';
import { startSimulatedModel, type SimulatedModel } from '../../../simulator/simulated-model.js';
import type { Result } from '../../../domain/agent/question-result.js';
import type { ReplyRecord } from '../../../domain/agent/turn-record.js';
import type { RunConfig } from '../../../domain/runs/run-config.js';
import { caching } from '../../../worker/model-calls/chain.js';
import { createModel } from '../../../worker/adapters/model-apis/model.js';
import { keysForAll } from '../../support/model-calls/keys-for-all.js';
import { questionInFolder } from '../../support/runs/question-in-folder.js';
import { runActivity } from '../../support/run-activity.js';

const clock = { now: () => '2026-01-01T00:00:00.000Z' };
const price = { input: 2, output: 8, cachedInput: 0.5 };

/** One question that is answered in its first turn, to the end. */
async function answerOnce(
  model: ModelPort,
  settings: Partial<RunConfig['model']>,
  run: Partial<RunConfig> = {},
): Promise<{ readonly result: Result; readonly reply: ReplyRecord }> {
  const { runFiles, ref } = questionInFolder({}, (manifest) => ({
    ...manifest,
    config: { ...manifest.config, ...run, model: { ...manifest.config.model, ...settings } },
  }));
  await runActivity(
    createAskModel({ model, runFiles, databases: noDatabases, ownCode: noAgent, clock }),
    {
      ...ref,
      turn: 1,
    },
  );
  await runActivity(
    createEndQuestion({ runFiles, databases: noDatabases, questions: new FakeQuestions(), clock }),
    {
      ...ref,
      startedAt: clock.now(),
      outcome: { kind: 'answered' },
    },
  );
  const [end, reply] = await Promise.all([
    runFiles.end(ref.run, ref),
    runFiles.reply(ref.run, ref, 1),
  ]);
  if (!end || !reply) throw new Error('the question has no end');
  return { result: end.result, reply };
}

describe('a question', () => {
  const said: ModelReply = {
    content: '[Thought]: seen\n[Action]: GenerateAnswer(answer=20)',
    reasoning: 'I think of secrets.',
    finishReason: 'stop',
    model: 'm',
    tokens: { prompt: 1000, completion: 100, cached: 400, reasoning: 60 },
  };
  const model: ModelPort = { complete: () => Promise.resolve(said) };

  it('costs what its calls cost, cached tokens less and reasoning as output', async () => {
    const { result } = await answerOnce(model, { price });
    expect(result.costUsd).toBeCloseTo((600 * 2 + 400 * 0.5 + 100 * 8) / 1e6, 12);
    expect(result.usage).toEqual({
      promptTokens: 1000,
      completionTokens: 100,
      cachedTokens: 400,
      cacheWrittenTokens: 0,
      reasoningTokens: 60,
      calls: 1,
      retries: 0,
      cacheHits: 0,
      lostTokens: 0,
    });
  });

  it('counts what it wrote to the cache, for minutes and for an hour, and pays more for it', async () => {
    const written = {
      complete: () =>
        Promise.resolve({
          ...said,
          tokens: {
            prompt: 1000,
            completion: 100,
            cached: 400,
            cacheWritten: 300,
            cacheWrittenHour: 200,
          },
        }),
    };
    const { result } = await answerOnce(written, {
      price: { ...price, cacheWrite: 2.5, cacheWriteHour: 4 },
    });
    expect(result.usage).toMatchObject({ cachedTokens: 400, cacheWrittenTokens: 500 });
    expect(result.costUsd).toBeCloseTo(
      (100 * 2 + 400 * 0.5 + 300 * 2.5 + 200 * 4 + 100 * 8) / 1e6,
      12,
    );
  });

  it('has no cost where the price is not known, or the tokens are not', async () => {
    expect((await answerOnce(model, { price: null })).result.costUsd).toBeNull();
    const silent = { complete: () => Promise.resolve({ ...said, tokens: null }) };
    expect((await answerOnce(silent, { price })).result.costUsd).toBeNull();
  });

  it('costs nothing where its model costs nothing, and that was said', async () => {
    expect((await answerOnce(model, { price: { input: 0, output: 0 } })).result.costUsd).toBe(0);
  });

  it('pays once for a reply that the token limit cut off in its reasoning', async () => {
    let asked = 0;
    const cut: ModelPort = {
      complete: () => {
        asked += 1;
        return Promise.resolve({ ...said, content: '', finishReason: 'length' });
      },
    };
    for (const method of ['hybrid_react', 'trivial_question_only'] as const) {
      const { result, reply } = await answerOnce(cut, { price }, { method });
      expect(result.usage).toMatchObject({ calls: 1, completionTokens: 100 });
      expect(result.costUsd).toBeGreaterThan(0);
      expect(result.tools.parseErrors).toEqual({ 'cut-off': 1 });
      expect(reply.reading.kind).toBe('error');
    }
    expect(asked).toBe(2);
  });

  it('keeps reasoning apart from what was said', async () => {
    const { reply } = await answerOnce(model, {});
    expect(reply).toMatchObject({ raw: said.content, reasoning: said.reasoning });
  });
});

describe('with an endpoint', () => {
  let endpoint: SimulatedModel;
  beforeEach(async () => {
    endpoint = await startSimulatedModel({
      script: {
        questions: [
          {
            question: 'How many turns?',
            answer: { thought: 'Known.', value: [20, 'a'] },
          },
        ],
      },
    });
  });
  afterEach(() => endpoint.close());

  it('a reply from the cache is marked and costs nothing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'turnwise-cache-'));
    const asked = createModel(keysForAll({ apiKey: undefined, keyIsFor: endpoint.url }));
    const model = caching(folder)(asked);
    const settings = { baseUrl: endpoint.url, price, cache: true };
    const first = await answerOnce(model, settings);
    const second = await answerOnce(model, settings);
    expect(endpoint.stats().completed).toBe(1);
    expect(first.result.costUsd).toBeGreaterThan(0);
    expect(first.result.usage).toMatchObject({ calls: 1, cacheHits: 0 });
    expect(second.result.costUsd).toBe(0);
    expect(second.result.usage).toMatchObject({ calls: 0, cacheHits: 1, promptTokens: 0 });
    expect(second.reply).toMatchObject({ cacheHit: true, raw: first.reply.raw });
    expect(second.result.answer).toBe(first.result.answer);
  });

  it('an action is called as a tool where the run says so', async () => {
    const model = createModel(keysForAll({ apiKey: undefined, keyIsFor: endpoint.url }));
    const run = { actionFormat: 'tools' } as const;
    const { reply, result } = await answerOnce(model, { baseUrl: endpoint.url }, run);
    expect(reply.toolCalls).toEqual([
      {
        id: expect.stringMatching(/^call_simulated_\w+$/) as unknown,
        name: 'GenerateAnswer',
        argumentsText: '{"answer": [20, "a"]}',
      },
    ]);
    expect(reply.reading).toMatchObject({ kind: 'action', thought: 'Known.' });
    expect(result.answer).toBe("[20, 'a']");
  });
});
