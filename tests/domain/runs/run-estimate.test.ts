import { describe, expect, it } from 'vitest';
import { methods, type MethodName } from '../../../domain/agent/methods.js';
import {
  estimateRun,
  type EstimateRequest,
  earlierWorkloads,
  usualWorkloads,
  type EarlierQuestion,
  type Workload,
} from '../../../domain/runs/run-estimate.js';
import { exampleManifest } from '../../support/runs/example-manifest.js';

const { config } = exampleManifest();
const opening = { first: 1000, later: 1000 };
const price = { input: 1, output: 10, cachedInput: 0.5 };

const unbegun = (questions: number): readonly number[] => Array<number>(questions).fill(0);

const workload = (turns: readonly number[], addedTokens = 100): Workload => ({
  turns,
  addedTokens,
  completionTokens: 10,
  openingShare: 1,
});

const request = (changes: Partial<EstimateRequest>): EstimateRequest => ({
  method: methods.hybrid_react,
  config: { ...config, windowSize: 2, concurrency: 5, model: { ...config.model, price } },
  turnsBehind: unbegun(10),
  opening,
  workloads: { low: workload([1]), likely: workload([4]), high: workload([2, 6]) },
  askedShare: 1,
  cachedShare: 0,
  turnMs: 1000,
  ...changes,
});

describe('estimateRun', () => {
  it('has low ≤ likely ≤ high in every figure, and no reply over the token limit', () => {
    const [low, likely, high] = [830, 836, 346].map((completionTokens, index) => ({
      ...{ turns: [index + 1], addedTokens: 100 * index, completionTokens, openingShare: 1 },
    }));
    const asked = request({ workloads: { low, likely, high } as EstimateRequest['workloads'] });
    const model = { ...asked.config.model, maxTokens: 600 };
    for (const each of [asked, { ...asked, config: { ...asked.config, model } }]) {
      const found = estimateRun(each);
      for (const figure of ['calls', 'promptTokens', 'completionTokens', 'usd', 'ms'] as const) {
        expect(found.low[figure]).toBeLessThanOrEqual(found.likely[figure] ?? NaN);
        expect(found.likely[figure]).toBeLessThanOrEqual(found.high[figure] ?? NaN);
      }
      const most = each.config.model.maxTokens * found.high.calls;
      expect(found.high.completionTokens).toBeLessThanOrEqual(most);
    }
  });

  it('lets prompts grow turn by turn until the window is full', () => {
    const { low, likely, high } = estimateRun(request({}));
    expect(low).toMatchObject({ calls: 10, promptTokens: 10_000 });
    // 0, 1, 2 and 2 turns are seen.
    expect(likely).toMatchObject({ calls: 40, promptTokens: 10 * (4 * 1000 + 5 * 100) });
    expect(high).toMatchObject({
      calls: 40,
      promptTokens: 5 * (2 * 1000 + 100) + 5 * (6 * 1000 + 9 * 100),
    });
  });

  it('takes what is cached at its own price, and no price for no cost', () => {
    const { likely } = estimateRun(request({ cachedShare: 0.5 }));
    expect(likely.usd).toBeCloseTo((45_000 * 0.75 + 400 * 10) / 1e6, 9);
    const unpriced = estimateRun(request({ config: { ...config, model: config.model } }));
    expect(unpriced.likely.usd).toBeNull();
  });

  it('counts no question whose request is not sent', () => {
    const { likely } = estimateRun(request({ askedShare: 0.5 }));
    expect(likely).toMatchObject({ calls: 20, completionTokens: 200, ms: 4000 });
    expect(estimateRun(request({ askedShare: 0 })).high).toMatchObject({ calls: 0, usd: 0, ms: 0 });
  });

  it('divides the turns by the questions that go on at once', () => {
    expect(estimateRun(request({})).likely.ms).toBe(8000);
    expect(estimateRun(request({ turnsBehind: unbegun(2) })).likely.ms).toBe(4000);
    expect(estimateRun(request({ turnMs: null })).likely.ms).toBeNull();
  });

  it('counts the turns to come, at least one of each question', () => {
    const { low, likely, high } = estimateRun(request({ turnsBehind: [0, 3, 3] }));
    expect(low).toMatchObject({ calls: 3, promptTokens: 3 * 1000 + 2 * 2 * 100, ms: 1000 });
    expect(likely).toMatchObject({ calls: 4 + 2, promptTokens: 6 * 1000 + 9 * 100 });
    // Of two turns or six, and after three turns of four or six.
    expect(high).toMatchObject({ calls: 4 + 2 * 2 });
    const over = request({ turnsBehind: [3], config: { ...config, maxTurns: 3 } });
    expect(estimateRun(over).likely).toMatchObject({ calls: 0, usd: 0, ms: 0 });
  });

  it('lets no question take more turns than it may, and no prompt grow beyond its context', () => {
    const model = { ...config.model, maxTokens: 50 };
    const { high } = estimateRun(
      request({
        workloads: { low: workload([1]), likely: workload([2]), high: workload([2, 6]) },
        config: { ...config, maxTurns: 3, contextTokens: 1150, windowSize: 5, model },
      }),
    );
    expect(high).toMatchObject({ calls: 25, promptTokens: 5 * 2100 + 5 * 3200 });
  });

  it.each<[MethodName, number, number]>([
    ['two_stage_sym_rag', 2, 1300 + 100],
    ['classic_rag', 1, 1100],
    ['two_stage_graph_rag', 0, 0],
    ['iterative_graph_rag', 2, 2 * 300 + 3 * 100],
  ])('counts the calls of %s', (name, calls, promptTokens) => {
    const turns = [name.startsWith('iterative') ? 3 : calls || 2];
    const each = workload(turns);
    const estimate = estimateRun(
      request({
        method: methods[name],
        turnsBehind: unbegun(1),
        opening: { first: 1000, later: 300 },
        workloads: { low: each, likely: each, high: each },
      }),
    );
    expect(estimate.likely).toMatchObject({ calls, promptTokens });
  });
});

describe('usualWorkloads', () => {
  it('never has a question take more turns than it may, or reply at greater length', () => {
    const model = { ...config.model, maxTokens: 100 };
    const few = usualWorkloads(methods.hybrid_react, { maxTurns: 4, model });
    expect(few.likely).toMatchObject({ turns: [4], completionTokens: 100 });
    expect(usualWorkloads(methods.classic_rag, config).high.turns).toEqual([1]);
    expect(usualWorkloads(methods.trivial_question_only, config).high.addedTokens).toBe(0);
  });
});

describe('earlierWorkloads', () => {
  const asked = (turns: number, added: number): EarlierQuestion => ({
    turns,
    promptTokens: turns * 500 + added,
    completionTokens: turns * 20,
    windowSize: 5,
    maxTurns: 20,
    maxTokens: 1500,
    opening,
  });
  const usual = usualWorkloads(methods.hybrid_react, config);

  it('are what questions took, in all and by quarters, in tokens as the provider counts them', () => {
    const questions = [1, 2, 3].flatMap(() => [
      asked(3, 300),
      asked(1, 0),
      asked(2, 100),
      asked(4, 600),
    ]);
    const workloads = earlierWorkloads(methods.hybrid_react, questions, 0.5, usual);
    expect(workloads?.likely).toEqual({
      turns: [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4],
      addedTokens: 100,
      completionTokens: 20,
      openingShare: 0.5,
    });
    const of = (turns: number, addedTokens: number, openingShare: number) => ({
      turns: [turns, turns, turns],
      ...{ addedTokens, completionTokens: 20, openingShare },
    });
    expect(workloads?.low).toEqual(of(1, 0, 0.425));
    expect(workloads?.high).toEqual(of(4, 100, 0.575));
  });

  it('have the range that is usual for the method where they are few', () => {
    const questions = Array.from({ length: 9 }, () => asked(4, 600));
    const workloads = earlierWorkloads(methods.hybrid_react, questions, 0.5, usual);
    // Usual are 3 turns, 300 and 60 tokens: half of what was seen is less.
    const fewest = { turns: [3], addedTokens: 50, completionTokens: 10, openingShare: 0.425 };
    expect(workloads?.low).toEqual(fewest);
    expect(workloads?.likely.turns).toEqual(questions.map(() => 4));
    expect(workloads?.high).toEqual({ ...usual.high, openingShare: 0.575 });
    const long = { ...asked(30, 600), completionTokens: 90_000 };
    const { high } = earlierWorkloads(methods.hybrid_react, [long], 1, usual) ?? {};
    expect(high).toMatchObject({ turns: [30], completionTokens: 6000 });
  });

  it('may take more turns and longer replies than limits allowed before', () => {
    const short = { ...asked(4, 600), maxTurns: 4, maxTokens: 22 };
    const questions = Array.from({ length: 10 }, () => short);
    const workloads = earlierWorkloads(methods.hybrid_react, questions, 1, usual);
    if (!workloads) throw new Error('there are earlier questions');
    const model = { ...config.model, maxTokens: 100 };
    const limited = { ...config, maxTurns: 6, model, concurrency: 5 };
    const { likely, high } = estimateRun(
      request({ config: limited, workloads, turnsBehind: unbegun(1) }),
    );
    expect(likely).toMatchObject({ calls: 4, completionTokens: 80 });
    expect(high).toMatchObject({ calls: 6, completionTokens: 600 });
  });

  it('foretell a run that is like the one before', () => {
    const questions = [asked(3, 300), asked(2, 100)];
    const workloads = earlierWorkloads(methods.hybrid_react, questions, 0.5, usual);
    const estimate = workloads && estimateRun(request({ workloads, turnsBehind: unbegun(2) }));
    expect(estimate?.likely).toMatchObject({
      calls: 5,
      promptTokens: 2900,
      completionTokens: 100,
    });
  });

  it('are not there without a question', () => {
    expect(earlierWorkloads(methods.hybrid_react, [], 1, usual)).toBeNull();
  });
});
