import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ProbeModelInput } from '../../activities/runs/probe-model.js';
import type { Amount } from '../../domain/budget/amount.js';
import { questionIdSchema, runIdSchema, type QuestionId } from '../../domain/ids.js';
import type { ProbeOutcome } from '../../domain/runs/probes.js';
import { workflowNames } from '../../workflows/messages.js';
import type { Probed, probeModelsWorkflow } from '../../workflows/jobs/probe-models.js';
import { bundleWorkflows, startTemporal } from '../support/temporal.js';

const taskQueue = 'probes';
const spent = { calls: 1, promptTokens: 9, completionTokens: 1, costUsd: 0.5 };
const answered = (model: string): ProbeOutcome => ({ kind: 'answered', model, spent, ms: 1 });
const refused: ProbeOutcome = {
  ...{ kind: 'failed', model: 'one', failure: 'ModelRefusedKey', message: 'No key.' },
};

const broken = questionIdSchema.parse('broken');

const asked = new Map<string, (ProbeModelInput & { readonly failed?: number })[]>();
/** What the probes of a run come to, in order. */
const next = new Map<string, (ProbeOutcome | Error)[]>();

let temporal: TestWorkflowEnvironment;
beforeAll(async () => {
  temporal = await startTemporal();
  const worker = await Worker.create({
    connection: temporal.nativeConnection,
    taskQueue,
    workflowBundle: await bundleWorkflows(),
    activities: {
      tryScorer: ({ uuid }: { readonly uuid: QuestionId }): Promise<string | null> =>
        Promise.resolve(uuid === broken ? 'It ended with status 127.' : null),
      countSpent: (): Promise<Amount> => Promise.resolve({ usd: 2, tokens: 20 }),
      probeModel: (input: ProbeModelInput): Promise<ProbeOutcome> => {
        asked.set(input.run, [...(asked.get(input.run) ?? []), input]);
        const outcome = next.get(input.run)?.shift();
        if (outcome === undefined) throw new Error('asked more often than expected');
        return outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome);
      },
    },
  });
  const running = worker.run();
  return async () => {
    worker.shutdown();
    await running;
    await temporal.teardown();
  };
});

async function probe(
  outcomes: readonly (ProbeOutcome | Error)[],
  capped = false,
  scored: readonly QuestionId[] = [],
): Promise<Probed & { inputs: readonly ProbeModelInput[] }> {
  const run = runIdSchema.parse(randomUUID());
  next.set(run, [...outcomes]);
  const result = await temporal.client.workflow.execute<typeof probeModelsWorkflow>(
    workflowNames.probeModels,
    { workflowId: run, taskQueue, args: [{ run, models: ['one', 'two'], capped, scored }] },
  );
  return { ...result, inputs: asked.get(run) ?? [] };
}

const unavailable = (): Error =>
  ApplicationFailure.create({
    ...{ type: 'ModelUnavailable', message: 'Nobody is there.', nextRetryDelay: 1 },
  });

describe('the probes of a run', () => {
  it('go on after a failure that may pass', async () => {
    const { outcomes, inputs } = await probe([unavailable(), answered('one'), answered('two')]);
    expect(outcomes).toEqual([answered('one'), answered('two')]);
    expect(inputs.map(({ model }) => model)).toEqual([0, 0, 1]);
    expect(inputs[0]?.spent).toBeUndefined();
  });

  it('end with a model that cannot be asked', async () => {
    const { outcomes, inputs } = await probe([refused]);
    expect(outcomes).toEqual([refused]);
    expect(inputs).toHaveLength(1);
  });

  it('ask no model where a scorer gives no score', async () => {
    const { outcomes, scorerFailure, inputs } = await probe([], false, [
      questionIdSchema.parse('fine'),
      broken,
    ]);
    expect(scorerFailure).toBe('It ended with status 127.');
    expect([outcomes, inputs]).toEqual([[], []]);
  });

  it('give a model up after three attempts', async () => {
    const { outcomes } = await probe([unavailable(), unavailable(), unavailable()]);
    expect(outcomes).toEqual([
      {
        ...{ kind: 'failed', model: 'one', failure: 'ModelUnavailable' },
        message: 'Nobody is there.',
      },
    ]);
  });

  it('count against the budget, each with those before', async () => {
    const { inputs } = await probe([answered('one'), answered('two')], true);
    expect(inputs.map((input) => input.spent)).toEqual([
      { usd: 2, tokens: 20 },
      { usd: 2.5, tokens: 30 },
    ]);
  });
});
