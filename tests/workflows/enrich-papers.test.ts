import { randomUUID } from 'node:crypto';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ItemRef } from '../../activities/enrichment/enrich-paper.js';
import { noCap, type Amount } from '../../domain/budget/amount.js';
import { hashingName } from '../../domain/embedders.js';
import { enrichmentIdSchema } from '../../domain/enrichment/job.js';
import { type EnrichmentResult, type EnrichmentTotals } from '../../domain/enrichment/totals.js';
import { storeNameSchema } from '../../domain/ids.js';
import type { CallMade, FoundCalls } from '../../domain/scoring/open-calls.js';
import type { EnrichPapersInput } from '../../workflows/jobs/call-jobs.js';
import { workflowNames } from '../../workflows/messages.js';
import { callOf } from '../support/model-calls/call-sizes.js';
import { bundleWorkflows, startTemporal } from '../support/temporal.js';

const taskQueue = 'enrichment';
const store = storeNameSchema.parse('papers');
const size = callOf(100);
const need: Amount = { usd: 0, tokens: 100 };
const spent: Amount = { usd: 0, tokens: 10 };
/** Each paper has two items. */
const papers = 20;

/** What happened, in order: the kinds of steps once each, the calls apart. */
let steps: string[] = [];
let asked: string[] = [];
beforeEach(() => {
  steps = [];
  asked = [];
});

const totals: EnrichmentTotals = { kinds: {}, unusable: {}, lost: 0, spent, unpriced: 0 };

let temporal: TestWorkflowEnvironment;
beforeAll(async () => {
  temporal = await startTemporal('limit.historyCount.suggestContinueAsNew=60');
  const step =
    <Result>(name: string, result: Result) =>
    (): Result => {
      steps.push(name);
      return result;
    };
  const worker = await Worker.create({
    connection: temporal.nativeConnection,
    taskQueue,
    workflowBundle: await bundleWorkflows(),
    activities: {
      openEnrichment: step('open', { usd: 0, tokens: 0 }),
      findOpenItems: ({ from }: { readonly from: number }): FoundCalls => {
        const end = Math.min(papers, from + 5);
        const open = Array.from({ length: end - from }, (_, place) =>
          [0, 1].map((member) => ({ index: from + place, member, key: 'k', size })),
        ).flat();
        const isOpen = ({ index, member }: (typeof open)[number]): boolean =>
          !asked.includes(`${index} ${member}`);
        return { open: open.filter(isOpen), next: end < papers ? end : null };
      },
      enrichItem: ({ index, member }: ItemRef): CallMade => {
        asked.push(`${index} ${member}`);
        return { kind: 'made', spent, billed: null, opened: [] };
      },
      countEnrichment: step('count', totals),
      buildTables: step('tables', { kind: 'built' }),
      buildCollections: step('collections', { rows: 1 }),
      publishStore: step('publish', null),
    },
  });
  const working = worker.run();
  return async () => {
    worker.shutdown();
    await working;
    await temporal.teardown();
  };
});

const start = (changes: Partial<EnrichPapersInput> = {}) =>
  temporal.client.workflow.start<(input: EnrichPapersInput) => Promise<EnrichmentResult>>(
    workflowNames.enrichPapers,
    {
      workflowId: randomUUID(),
      taskQueue,
      args: [
        {
          ...{ store, job: enrichmentIdSchema.parse('0123456789abcdef'), cases: papers },
          embedder: hashingName,
          ...{ concurrency: 3, budget: noCap, modelTimeoutMs: 1000, modelAttempts: 2 },
          ...changes,
        },
      ],
    },
  );

describe('the workflow of an enrichment', () => {
  it('asks everything once, over several histories, and builds the store once', async () => {
    const handle = await start();
    const first = (await handle.describe()).runId;
    expect(await handle.result()).toMatchObject({
      progress: { calls: 2 * papers, failures: [], parked: null },
      totals,
    });
    expect(new Set(asked).size).toBe(2 * papers);
    expect(asked).toHaveLength(2 * papers);
    expect((await handle.describe()).runId).not.toBe(first);
    expect(steps).toEqual(['open', 'tables', 'collections', 'publish', 'count']);
  });

  it('builds the store with what there is where the budget stops the calls', async () => {
    const handle = await start({ budget: { usd: null, tokens: 150 } });
    const { progress } = await handle.result();
    expect(progress).toMatchObject({ parked: need, spent: { tokens: 60 } });
    expect(steps).toEqual(['open', 'tables', 'collections', 'publish', 'count']);
  });
});
