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
});

const request = (changes: Partial<EstimateRequest>): EstimateRequest => ({
  method: methods.hybrid_react,
  config: { ...config, windowSize: 2, concurrency: 5, model: { ...config.model, price } },
  turnsBehind: unbegun(10),
  opening,
  workloads: { low: workload([1]), likely: workload([4]), high: workload([2, 6]) },
  countedShare: 1,
  cachedShare: 0,
  turnMs: 1000,
  ...changes,
});

describe('estimateRun', () => {
  it('has low ≤ likely ≤ high in every figure, and no reply over the token limit', () => {
    const [low, likely, high] = [830, 836, 346].map((completionTokens, index) => ({
      ...{ turns: [index + 1], addedTokens: 100 * index, completionTokens },
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
    opening,
  });

  it('are what questions took, in all and by quarters, in tokens as the provider counts them', () => {
    const questions = [asked(3, 300), asked(1, 0), asked(2, 100), asked(4, 600)];
    const workloads = earlierWorkloads(methods.hybrid_react, questions, 0.5);
    expect(workloads?.likely).toEqual({
      turns: [1, 2, 3, 4],
      addedTokens: 100,
      completionTokens: 20,
    });
    expect(workloads?.low).toEqual({ turns: [1], addedTokens: 0, completionTokens: 20 });
    expect(workloads?.high).toEqual({ turns: [4], addedTokens: 100, completionTokens: 20 });
  });

  it('foretell a run that is like the one before', () => {
    const questions = [asked(3, 300), asked(2, 100)];
    const workloads = earlierWorkloads(methods.hybrid_react, questions, 0.5);
    const estimate =
      workloads && estimateRun(request({ workloads, countedShare: 0.5, turnsBehind: unbegun(2) }));
    expect(estimate?.likely).toMatchObject({
      calls: 5,
      promptTokens: 2900,
      completionTokens: 100,
    });
  });

  it('are not there without a question', () => {
    expect(earlierWorkloads(methods.hybrid_react, [], 1)).toBeNull();
  });
});
