import { ApplicationFailure } from '@temporalio/common';
import { noAgent } from '../../support/fakes/no-agent.js';
import { noDatabases } from '../../support/fakes/no-databases.js';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import { noBills, worstCase, noAmount, type Amount } from '../../../domain/budget/amount.js';
import type { FailureType } from '../../../domain/failure-type.js';
import type { FailedExchange } from '../../../domain/models/call-attempts.js';
import { failedExchange, someExchange } from '../../support/runs/exchanges.js';
import { deferralSchema, type TurnRef } from '../../../domain/runs/question-ref.js';
import { createAskModel } from '../../../activities/questions/ask-model.js';
import type { ModelPort, ModelReply, ModelRequest } from '../../../activities/ports/model.js';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import type { RunFilesPort } from '../../../activities/ports/run-files.js';
import { reserving, type Budgets } from '../../../worker/model-calls/reserve.js';
import { runIdSchema } from '../../../domain/ids.js';
import { defaultRunConfig } from '../../../domain/runs/run-config.js';
import { exampleReply } from '../../support/runs/example-records.js';
import { FakeModel } from '../../support/fakes/fake-model.js';
import { runActivity } from '../../support/run-activity.js';
import { questionInFolder } from '../../support/runs/question-in-folder.js';

const clock = { now: () => '2026-01-01T00:00:00.000Z' };
const search = "[Thought]: look\n[Action]: ClassicRetrieve(query='turns')";
const answer = '[Thought]: seen\n[Action]: GenerateAnswer(answer=20)';

/** Lets every call go, and notes what each came to. */
function notedBudgets(): { readonly budgets: Budgets; readonly settled: readonly Amount[] } {
  const settled: Amount[] = [];
  const settle = (actual: Amount): void => void settled.push(actual);
  const budgets: Budgets = {
    reserve: (_run, size) =>
      Promise.resolve({ kind: 'reserved', most: () => worstCase(size(), noBills), settle }),
  };
  return { budgets, settled };
}

describe('askModel', () => {
  it('sends the system and task messages and tells what the model wants to do', async () => {
    const { runFiles, ref } = questionInFolder({ answer_format: 'a number' });
    const model = new FakeModel(search);
    const askModel = createAskModel({
      model,
      runFiles,
      databases: noDatabases,
      ownCode: noAgent,
      clock,
    });
    const turn = await runActivity(askModel, { ...ref, turn: 1 });
    expect(turn).toEqual({
      kind: 'action',
      action: 'ClassicRetrieve',
      preview: 'turns',
    });
    const [request] = model.requests;
    expect(request?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(request?.messages[1]?.content).toMatch(
      /^\[Question\]: How many turns\?\n\[Answer Format\]: a number\n\[Database Schema\]: /,
    );
  });

  it('pays for a turn once, whoever asks again', async () => {
    const { runFiles, ref } = questionInFolder();
    const model = new FakeModel(answer);
    const askModel = createAskModel({
      model,
      runFiles,
      databases: noDatabases,
      ownCode: noAgent,
      clock,
    });
    const first = await runActivity(askModel, { ...ref, turn: 1 });
    const second = await runActivity(askModel, { ...ref, turn: 1 });
    expect(second).toEqual(first);
    expect(model.requests).toHaveLength(1);
  });

  it('charges the most a call may cost where its provider reports no usage, and stores that', async () => {
    const { runFiles, ref } = questionInFolder();
    const { budgets, settled } = notedBudgets();
    const silent: ModelPort = {
      complete: async (request) => ({
        ...(await new FakeModel(answer).complete(request)),
        tokens: null,
      }),
    };
    const askModel = createAskModel({
      model: reserving(budgets)(silent),
      runFiles,
      databases: noDatabases,
      ownCode: noAgent,
      clock,
    });
    await runActivity(askModel, { ...ref, turn: 1 });
    const stored = await runFiles.reply(ref.run, ref, 1);
    expect(stored).toMatchObject({ tokens: null, charged: settled[0] });
    expect(stored?.charged?.tokens).toBeGreaterThan(defaultRunConfig.model.maxTokens);
  });

  it('pays for no call that its context has no room for', async () => {
    const { runFiles, ref } = questionInFolder({}, (manifest) => ({
      ...manifest,
      config: { ...manifest.config, contextTokens: 1200 },
    }));
    const model = new FakeModel(answer);
    const askModel = createAskModel({
      model,
      runFiles,
      databases: noDatabases,
      ownCode: noAgent,
      clock,
    });
    await expect(runActivity(askModel, { ...ref, turn: 1 })).rejects.toMatchObject({
      type: 'ContextOverflow',
      nonRetryable: true,
    });
    expect(model.requests).toEqual([]);
  });

  it('goes by the reply of whoever stored one first', async () => {
    const { runFiles, ref } = questionInFolder();
    const fake = new FakeModel(search, answer);
    // The attempt that was given up for lost comes to its end while this one waits for its reply.
    const slow: ModelPort = {
      complete: async (request) => {
        await runActivity(
          createAskModel({
            model: fake,
            runFiles,
            databases: noDatabases,
            ownCode: noAgent,
            clock,
          }),
          { ...ref, turn: 1 },
        );
        return fake.complete(request);
      },
    };
    const turn = await runActivity(
      createAskModel({ model: slow, runFiles, databases: noDatabases, ownCode: noAgent, clock }),
      {
        ...ref,
        turn: 1,
      },
    );
    expect(turn).toMatchObject({ action: 'ClassicRetrieve' });
    expect((await runFiles.reply(ref.run, ref, 1))?.raw).toBe(search);
  });

  it('asks nothing where an earlier turn is missing', async () => {
    const { runFiles, ref } = questionInFolder();
    const askModel = createAskModel({
      model: new FakeModel(),
      runFiles,
      databases: noDatabases,
      ownCode: noAgent,
      clock,
    });
    await expect(runActivity(askModel, { ...ref, turn: 2 })).rejects.toMatchObject({
      type: 'InvalidRun',
      message: 'turn 1 of question q1 (epoch 1) of run a-run is missing',
    });
  });

  it('sends the last turns of the window only', async () => {
    const { runFiles, ref } = questionInFolder({}, (manifest) => ({
      ...manifest,
      config: { ...manifest.config, windowSize: 2, strict: true },
    }));
    const model = new FakeModel(search, search, search, answer);
    const askModel = createAskModel({
      model,
      runFiles,
      databases: noDatabases,
      ownCode: noAgent,
      clock,
    });
    for (const turn of [1, 2, 3]) {
      await runActivity(askModel, { ...ref, turn });
      await runFiles.saveObservation(ref.run, ref, {
        turn,
        content: `found ${turn}`,
        startedAt: clock.now(),
        endedAt: clock.now(),
      });
    }
    await runActivity(askModel, { ...ref, turn: 4 });
    expect(model.requests[3]?.messages.slice(2).map(({ content }) => content)).toEqual([
      "[Thought]: look\n[Action]:\nClassicRetrieve(query='turns', limit=5)",
      '[Observation]: found 2',
      "[Thought]: look\n[Action]:\nClassicRetrieve(query='turns', limit=5)",
      '[Observation]: found 3',
    ]);
  });

  it.each(['ContextOverflow', 'ModelRequestTooLarge'] as const)(
    'sends fewer turns where a request is refused as too long: %s',
    async (type) => {
      const { runFiles, ref } = questionInFolder();
      const tooLong = new PortFailure(type, 'too long');
      const model = new FakeModel(search, search, search, search, tooLong, tooLong, answer);
      const askModel = createAskModel({
        model,
        runFiles,
        databases: noDatabases,
        ownCode: noAgent,
        clock,
      });
      for (const turn of [1, 2, 3, 4]) {
        await runActivity(askModel, { ...ref, turn });
        await runFiles.saveObservation(ref.run, ref, {
          turn,
          content: `found ${turn}`,
          startedAt: clock.now(),
          endedAt: clock.now(),
        });
      }
      expect(await runActivity(askModel, { ...ref, turn: 5 })).toMatchObject({ kind: 'action' });
      expect(model.requests.slice(4).map(({ messages }) => messages.length)).toEqual([10, 6, 4]);
      expect(await runFiles.reply(ref.run, ref, 5)).toMatchObject({ turnsSent: 1 });
    },
  );

  it('fails as too long where the last turn alone is', async () => {
    const { runFiles, ref } = questionInFolder();
    const model = new FakeModel(new PortFailure('ContextOverflow', 'too long'));
    const askModel = createAskModel({
      model,
      runFiles,
      databases: noDatabases,
      ownCode: noAgent,
      clock,
    });
    await expect(runActivity(askModel, { ...ref, turn: 1 })).rejects.toMatchObject({
      type: 'ContextOverflow',
      nonRetryable: true,
    });
  });

  it('stores which turn an action repeats, and tells the model', async () => {
    const { runFiles, ref } = questionInFolder();
    const model = new FakeModel(search, search, answer);
    const askModel = createAskModel({
      model,
      runFiles,
      databases: noDatabases,
      ownCode: noAgent,
      clock,
    });
    for (const turn of [1, 2]) {
      await runActivity(askModel, { ...ref, turn });
      const [startedAt, endedAt] = [clock.now(), clock.now()];
      await runFiles.saveObservation(ref.run, ref, { turn, content: 'found', startedAt, endedAt });
    }
    expect((await runFiles.reply(ref.run, ref, 2))?.repeats).toBe(1);
    await runActivity(askModel, { ...ref, turn: 3 });
    expect(model.requests[2]?.messages.at(-1)?.content).toMatch(/same action as in turn 1/);
  });

  it('takes nothing but an answer in the last turn, and strictly whatever comes', async () => {
    for (const strict of [false, true]) {
      const { runFiles, ref } = questionInFolder({}, (manifest) => ({
        ...manifest,
        config: { ...manifest.config, maxTurns: 1, strict },
      }));
      const askModel = createAskModel({
        model: new FakeModel(search),
        runFiles,
        databases: noDatabases,
        ownCode: noAgent,
        clock,
      });
      const turn = await runActivity(askModel, { ...ref, turn: 1 });
      expect(turn.kind).toBe(strict ? 'action' : 'unparseable');
    }
  });

  it('offers the actions as tools and stores the calls', async () => {
    const { runFiles, ref } = questionInFolder({}, (manifest) => ({
      ...manifest,
      config: { ...manifest.config, actionFormat: 'tools' },
    }));
    const requests: ModelRequest[] = [];
    const toolCalls = [{ id: 'c1', name: 'GenerateAnswer', argumentsText: '{"answer": 20}' }];
    const model: ModelPort = {
      complete: (request) => {
        requests.push(request);
        const reply: ModelReply = {
          content: '',
          toolCalls,
          finishReason: 'other',
          model: 'm',
          tokens: null,
        };
        return Promise.resolve(reply);
      },
    };
    const askModel = createAskModel({
      model,
      runFiles,
      databases: noDatabases,
      ownCode: noAgent,
      clock,
    });
    const turn = await runActivity(askModel, { ...ref, turn: 1 });
    expect(turn).toMatchObject({ action: 'GenerateAnswer', preview: '20' });
    expect(requests[0]?.tools?.map(({ name }) => name)).toContain('RetrieveFromDatabase');
    expect((await runFiles.reply(ref.run, ref, 1))?.toolCalls).toEqual(toolCalls);
  });

  it('asks nothing before a method that needs a context has one', async () => {
    const { runFiles, ref } = questionInFolder({}, (manifest) => ({
      ...manifest,
      config: { ...manifest.config, method: 'classic_rag' },
    }));
    const model = new FakeModel('```txt\n20\n```');
    const askModel = createAskModel({
      model,
      runFiles,
      databases: noDatabases,
      ownCode: noAgent,
      clock,
    });
    await expect(runActivity(askModel, { ...ref, turn: 1 })).rejects.toMatchObject({
      type: 'InvalidRun',
    });
    const [startedAt, endedAt] = [clock.now(), clock.now()];
    await runFiles.saveQuestionContext(ref.run, ref, {
      titles: {},
      context: 'seen',
      startedAt,
      endedAt,
    });
    expect(await runActivity(askModel, { ...ref, turn: 1 })).toMatchObject({
      action: 'GenerateAnswer',
      preview: '20',
    });
  });

  it('counts its tries that failed, and not those that were lost with their workers', async () => {
    const { runFiles, ref } = questionInFolder();
    const down = new PortFailure('ModelUnavailable', '503');
    const broken = new PortFailure('ModelUnavailable', 'the connection broke', { mayBePaid: true });
    const model = new FakeModel(down, broken, answer);
    const askModel = createAskModel({
      model,
      runFiles,
      databases: noDatabases,
      ownCode: noAgent,
      clock,
    });
    const left: unknown[] = [];
    const before = { failed: 1, lost: 4, unanswered: 0 };
    const trying = (attempt: number): Promise<unknown> =>
      runActivity(
        (turn: TurnRef) => askModel(turn, before),
        { ...ref, turn: 1 },
        {
          heartbeatDetails: left.at(-1),
          onHeartbeat: (details) => left.push(details),
          info: { attempt },
        },
      );
    await expect(trying(1)).rejects.toMatchObject({ details: [{ failed: 2 }] });
    // The second one was lost.
    await expect(trying(3)).rejects.toMatchObject({ details: [{ failed: 3 }] });
    await trying(4);
    // Five of them were lost, and one was sent and broke.
    expect(await runFiles.reply(ref.run, ref, 1)).toMatchObject({ retries: 8, unanswered: 6 });
  });

  it('keeps with its reply why tries failed, which requests were refused, and what was sent', async () => {
    const { runFiles, ref } = questionInFolder();
    const failed = (type: FailureType, status?: number): PortFailure =>
      new PortFailure(type, 'why', status === undefined ? {} : { exchange: exchange(status) });
    const exchange = (status: number): FailedExchange => failedExchange('a', { status });
    const refused = failed('ModelRateLimited', 429);
    const ends = [failed('ModelUnavailable', 503), failed('RunUnreachable')];
    const model: ModelPort = {
      complete: async (request, _signal, report) => {
        const end = ends.shift();
        // As the rate limiter tells of what was sent.
        if (end?.options.exchange) report?.('calls the model', end);
        if (end) throw end;
        report?.('calls the model', refused);
        report?.('waits for its turn');
        return { ...(await new FakeModel(answer).complete(request)), exchange: someExchange('a') };
      },
    };
    const askModel = createAskModel({
      model,
      runFiles,
      databases: noDatabases,
      ownCode: noAgent,
      clock,
    });
    const left: unknown[] = [];
    const trying = (attempt: number): Promise<unknown> =>
      runActivity(
        askModel,
        { ...ref, turn: 1 },
        {
          heartbeatDetails: left.at(-1),
          onHeartbeat: (details) => left.push(details),
          info: { attempt, currentAttemptScheduledTimestampMs: 0 },
        },
      );
    await expect(trying(1)).rejects.toMatchObject({ details: [{ failures: { count: 1 } }] });
    await expect(trying(2)).rejects.toMatchObject({ details: [{ failures: { count: 2 } }] });
    // The third one was lost.
    await trying(4);
    expect(await runFiles.reply(ref.run, ref, 1)).toMatchObject({
      ...{ retries: 3, lost: 1, unanswered: 1 },
      failures: {
        count: 3,
        latest: [
          { ...exchange(503), failure: 'ModelUnavailable' },
          { at: '1970-01-01T00:00:00.000Z', failure: 'RunUnreachable' },
          { ...exchange(429), failure: 'ModelRateLimited' },
        ],
      },
      exchange: someExchange('a'),
    });
  });

  it('hands refused requests on with its deferral, the latest of them', async () => {
    const { runFiles, ref } = questionInFolder();
    const refused = (status: number): PortFailure =>
      new PortFailure('ModelRateLimited', 'later', { exchange: failedExchange('a', { status }) });
    const model: ModelPort = {
      complete: (_request, _signal, report) => {
        for (let time = 1; time <= 30; time += 1) report?.('calls the model', refused(400 + time));
        return Promise.reject(
          new PortFailure('ModelDeferred', 'not now', { reason: 'rate-limit' }),
        );
      },
    };
    const askModel = createAskModel({
      model,
      runFiles,
      databases: noDatabases,
      ownCode: noAgent,
      clock,
    });
    const deferral = await runActivity(askModel, { ...ref, turn: 1 });
    const { attempts } = deferralSchema.parse(JSON.parse(JSON.stringify(deferral)));
    expect(attempts).toMatchObject({ failed: 0, lost: 0, failures: { count: 30 } });
    expect(attempts?.failures?.latest.map(({ status }) => status)).toEqual([
      426, 427, 428, 429, 430,
    ]);
    expect(JSON.stringify(deferral).length).toBeLessThan(3000);
  });

  it('shows the model why its reply could not be read', async () => {
    const { runFiles, ref } = questionInFolder();
    const model = new FakeModel('I would rather talk.', answer);
    const askModel = createAskModel({
      model,
      runFiles,
      databases: noDatabases,
      ownCode: noAgent,
      clock,
    });
    expect(await runActivity(askModel, { ...ref, turn: 1 })).toMatchObject({
      kind: 'unparseable',
    });
    await runActivity(askModel, { ...ref, turn: 2 });
    const [said, observation] = model.requests[1]?.messages.slice(2) ?? [];
    expect(said?.content).toBe('I would rather talk.');
    expect(observation?.content).toMatch(/^\[Observation\]: \[Error\]: /);
  });

  it('refuses an answer in a form that no evaluator accepts, once, and takes it in the end', async () => {
    const evaluator = { eval_func: 'eval_int_exact_match', eval_kwargs: { gold: 20 } };
    const unfit = "[Thought]: seen\n[Action]: GenerateAnswer(answer='20 turns')";
    const asking = (config: object): ((turn: number) => Promise<unknown>) => {
      const { runFiles, ref } = questionInFolder({ evaluator }, (manifest) => ({
        ...manifest,
        config: { ...manifest.config, ...config },
      }));
      const model = new FakeModel(unfit, unfit);
      const askModel = createAskModel({
        model,
        runFiles,
        databases: noDatabases,
        ownCode: noAgent,
        clock,
      });
      return async (turn) => {
        const { kind } = (await runActivity(askModel, { ...ref, turn })) as { kind: string };
        return [kind, model.requests.at(-1)?.messages.at(-1)?.content];
      };
    };
    const ask = asking({});
    expect(await ask(1)).toMatchObject(['unparseable', expect.any(String)]);
    expect(await ask(2)).toEqual([
      'action',
      expect.stringMatching(/^\[Observation\]: \[Error\]: The answer cannot .* an integer\./),
    ]);
    for (const config of [{ strict: true }, { maxTurns: 1 }, { windowSize: 0 }])
      expect(await asking(config)(1)).toMatchObject(['action', expect.any(String)]);
  });

  it.each([
    [{ reason: 'quota' }, null],
    [{ reason: 'rate-limit', retryAfterMs: 90_000 }, 90_000],
  ] as const)(
    'reports a call that cannot be made now as deferred, not as failed: %j',
    async (options, retryAfterMs) => {
      const { runFiles, ref } = questionInFolder();
      const { budgets, settled } = notedBudgets();
      const model = new FakeModel(new PortFailure('ModelDeferred', 'not now', options));
      const askModel = createAskModel({
        model: reserving(budgets)(model),
        runFiles,
        databases: noDatabases,
        ownCode: noAgent,
        clock,
      });
      expect(await runActivity(askModel, { ...ref, turn: 1 })).toEqual({
        kind: 'deferred',
        reason: options.reason,
        message: 'not now',
        retryAfterMs,
      });
      expect(settled).toEqual([noAmount]);
    },
  );

  it.each([
    ['waits for its turn', noAmount],
    [
      'calls the model',
      { usd: expect.any(Number) as number, tokens: expect.any(Number) as number },
    ],
  ] as const)('counts a call that is given up while it %s as %j', async (stage, amount) => {
    const { runFiles, ref } = questionInFolder();
    const { budgets, settled } = notedBudgets();
    const environment = new MockActivityEnvironment();
    const model: ModelPort = {
      complete: (_, signal, tell) => {
        tell?.(stage);
        environment.cancel();
        return Promise.reject(signal.reason as Error);
      },
    };
    const askModel = createAskModel({
      model: reserving(budgets)(model),
      runFiles,
      databases: noDatabases,
      ownCode: noAgent,
      clock,
    });
    await expect(environment.run(askModel, { ...ref, turn: 1 })).rejects.toThrow();
    expect(settled).toEqual([amount]);
  });

  it.each([
    ['waits where nobody keeps the budget it has', 1000, 'deferred'],
    ['goes on where it has no budget to keep', null, 'action'],
  ])('of a run that was ended by hand %s', async (_, tokens, kind) => {
    const { runFiles, ref } = questionInFolder({}, (manifest) => ({
      ...manifest,
      config: { ...manifest.config, budget: { usd: null, tokens } },
    }));
    const model = new FakeModel(answer);
    const budgets: Budgets = { reserve: () => Promise.resolve({ kind: 'no-run' }) };
    const askModel = createAskModel({
      model: reserving(budgets)(model),
      runFiles,
      databases: noDatabases,
      ownCode: noAgent,
      clock,
    });
    expect(await runActivity(askModel, { ...ref, turn: 1 })).toMatchObject({ kind });
    expect(model.requests).toHaveLength(kind === 'action' ? 1 : 0);
  });

  it("repeats another run's reply at no cost, and says where there was none", async () => {
    const { runFiles, ref } = questionInFolder({}, (manifest) => ({
      ...manifest,
      config: { ...manifest.config, replay: manifest.run },
    }));
    const model = new FakeModel(answer);
    const askModel = createAskModel({
      model,
      runFiles,
      databases: noDatabases,
      ownCode: noAgent,
      clock,
    });
    await expect(runActivity(askModel, { ...ref, turn: 1 })).rejects.toMatchObject({
      type: 'ReplyMissing',
      nonRetryable: true,
    });
    await runFiles.saveReply(ref.run, ref, exampleReply(1, null, { raw: answer, model: 'm' }));
    const other = { ...ref, run: runIdSchema.parse('other') };
    const replaying: RunFilesPort = {
      ...runFiles,
      manifest: () => runFiles.manifest(ref.run),
      item: (_, uuid) => runFiles.item(ref.run, uuid),
    };
    const again = createAskModel({
      model,
      runFiles: replaying,
      databases: noDatabases,
      ownCode: noAgent,
      clock,
    });
    expect(await runActivity(again, { ...other, turn: 1 })).toMatchObject({ kind: 'action' });
    expect(await runFiles.reply(other.run, ref, 1)).toMatchObject({
      raw: answer,
      costUsd: 0,
      cacheHit: true,
    });
    expect(model.requests).toEqual([]);
  });

  it('waits for a run that cannot be asked for its budget, and asks no model', async () => {
    const { runFiles, ref } = questionInFolder();
    const model = new FakeModel(answer);
    const budgets: Budgets = {
      reserve: () => Promise.reject(new PortFailure('RunUnreachable', 'nobody answers')),
    };
    const askModel = createAskModel({
      model: reserving(budgets)(model),
      runFiles,
      databases: noDatabases,
      ownCode: noAgent,
      clock,
    });
    expect(await runActivity(askModel, { ...ref, turn: 1 })).toEqual({
      kind: 'deferred',
      reason: 'run',
      message: 'nobody answers',
      retryAfterMs: 15_000,
    });
    expect(model.requests).toEqual([]);
  });

  it.each([
    [7, 'fixed'],
    ['auto', 'auto'],
  ] as const)('says for which run it asks, and that its concurrency is %s', async (set, said) => {
    const { runFiles, ref } = questionInFolder({}, (manifest) => ({
      ...manifest,
      config: { ...manifest.config, concurrency: set },
    }));
    const model = new FakeModel(answer);
    const askModel = createAskModel({
      model,
      runFiles,
      databases: noDatabases,
      ownCode: noAgent,
      clock,
    });
    await runActivity(askModel, { ...ref, turn: 1 });
    expect(model.requests).toMatchObject([{ run: ref.run, concurrency: said }]);
  });

  it.each([
    ['ModelUnavailable', false],
    ['ModelRefusedKey', true],
  ] as const)('reports %s with its own retry behaviour', async (type, nonRetryable) => {
    const { runFiles, ref } = questionInFolder();
    const model = new FakeModel(new PortFailure(type, 'said no', { retryAfterMs: 1500 }));
    const askModel = createAskModel({
      model,
      runFiles,
      databases: noDatabases,
      ownCode: noAgent,
      clock,
    });
    const failure: unknown = await runActivity(askModel, { ...ref, turn: 1 }).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(ApplicationFailure);
    expect(failure).toMatchObject({ type, nonRetryable, nextRetryDelay: 1500 });
  });
});
