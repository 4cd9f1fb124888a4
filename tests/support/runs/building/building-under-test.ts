import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import type { ScratchPort } from '../../../../activities/ports/building.js';
import type { ModelPort, ModelRequest } from '../../../../activities/ports/model.js';
import { createActivities, type Ports } from '../../../../activities/index.js';
import { ownPrompts } from '../../../../domain/building/prompts.js';
import { noCap } from '../../../../domain/budget/amount.js';
import type { BuildProgress } from '../../../../domain/building/build-state.js';
import type { Build } from '../../../../domain/building/build.js';
import type { Assigning, Decision, Item } from '../../../../domain/building/item.js';
import {
  datasetNameSchema,
  datasetWorkflowId,
  itemIdSchema,
  itemWorkflowId,
  type DatasetName,
  type ItemId,
} from '../../../../domain/ids.js';
import { pauseBuild } from '../../../../client/runs/building/build-dataset.js';
import { HomeClient } from '../../../../client/services/home-client.js';
import { contentText } from '../../../../domain/models/chat-message.js';
import { simulatedBuilding } from '../../../../simulator/simulated-building.js';
import {
  callsOf,
  readBuild,
  readItem,
  readItemText,
  writeBuild,
} from '../../../../storage/building-files.js';
import { createFolderStorage } from '../../../../storage/folder-storage.js';
import type { ObjectStorage } from '../../../../storage/objects.js';
import { createBuildingFiles } from '../../../../worker/adapters/files/job-files.js';
import { fillScratch } from '../../../../worker/adapters/duckdb/scratch-database.js';
import { leasedBudgets } from '../../../../worker/model-calls/budget-lease.js';
import { reserving } from '../../../../worker/model-calls/reserve.js';
import type { BuildDatasetInput } from '../../../../workflows/building/build-dataset.js';
import {
  assignUpdate,
  buildQuery,
  decideUpdate,
  workflowNames,
  type DecisionTaken,
} from '../../../../workflows/messages.js';
import { boats } from './boats.js';
import { exampleManifest } from '../example-manifest.js';
import { bundleWorkflows, startTemporal } from '../../temporal.js';
import { testHome } from '../../test-home.js';

/** In the process of the test. */
const scratch: ScratchPort = {
  fill: (request) => fillScratch({ kind: 'scratch', file: '', ...request }, 300),
};

export interface BuiltDataset {
  readonly dataset: DatasetName;
  readonly items: readonly ItemId[];
  readonly start: () => Promise<WorkflowHandle>;
  /** Resolves when no item is left. */
  readonly ended: () => Promise<unknown>;
  readonly progress: () => Promise<BuildProgress>;
  readonly item: (item: ItemId) => Promise<Item | null>;
  readonly text: (item: ItemId, version: number) => Promise<string | undefined>;
  readonly handle: (item: ItemId) => WorkflowHandle;
  readonly decide: (item: ItemId, decision: Decision) => Promise<DecisionTaken>;
  readonly assign: (item: ItemId, assigning: Assigning) => Promise<Item>;
  /** The item once it is as `isSo` wants it. */
  readonly until: (item: ItemId, isSo: (item: Item) => boolean) => Promise<Item>;
  readonly calls: () => Promise<number>;
  /** As `dataset pause` and `dataset resume` do. */
  readonly pause: (paused: boolean) => Promise<BuildProgress>;
  /** As `dataset build` does with other arguments. */
  readonly change: (changes: Partial<Build>) => Promise<void>;
}

export interface BuildingUnderTest {
  readonly temporal: TestWorkflowEnvironment;
  readonly storage: ObjectStorage;
  readonly dataset: (
    items: number,
    changes?: Partial<Build>,
    concurrency?: number,
  ) => Promise<BuiltDataset>;
  /** Answers the next requests instead of the simulated model, one after the other. */
  readonly reply: (...replies: readonly (string | Error)[]) => void;
  readonly requests: ModelRequest[];
  readonly stopWorker: () => Promise<void>;
  /** @param identity - as histories have it. @defaultValue that of the first */
  readonly startWorker: (identity?: string) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** The building of datasets on a server of its own, with a model that follows the rules of the simulated one. */
export async function startBuildingUnderTest(
  ...dynamicConfig: readonly string[]
): Promise<BuildingUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-building-'));
  const storage = createFolderStorage(folder);
  const temporal = await startTemporal(...dynamicConfig);
  const requests: ModelRequest[] = [];
  const replies: (string | Error)[] = [];
  const model: ModelPort = {
    complete: (request) => {
      requests.push(request);
      const next = replies.shift();
      if (next instanceof Error) return Promise.reject(next);
      const messages = request.messages.map(({ role, content }) => ({
        role,
        content: contentText(content),
      }));
      return Promise.resolve({
        content: next ?? simulatedBuilding({ messages }) ?? 'nothing',
        finishReason: 'stop',
        model: 'simulated',
        tokens: { prompt: 100, completion: 10, cached: 0 },
      });
    },
  };
  const client = new Client({ connection: temporal.nativeConnection });
  const homeClient = new HomeClient({ connection: temporal.connection }, testHome, 'building');
  const ports = {
    buildingFiles: createBuildingFiles(storage),
    clock: { now: () => new Date().toISOString() },
    model: reserving(leasedBudgets(client, testHome))(model),
    scratch,
    storeForMs: 0,
    // The activities of datasets ask for nothing else.
  } as unknown as Ports;
  const taskQueue = 'building';
  const workflowBundle = await bundleWorkflows();
  const startWorker = async (identity = 'first'): Promise<() => Promise<void>> => {
    const worker = await Worker.create({
      ...{ connection: temporal.nativeConnection, taskQueue, workflowBundle, identity },
      activities: createActivities(ports),
    });
    const working = worker.run();
    return async () => {
      worker.shutdown();
      await working;
    };
  };
  let stopWorker = await startWorker();

  return {
    ...{ temporal, storage, requests },
    reply: (...next) => void replies.push(...next),
    stopWorker: () => stopWorker(),
    startWorker: async (identity) => {
      stopWorker = await startWorker(identity);
    },
    stop: async () => {
      await stopWorker();
      await temporal.teardown();
      rmSync(folder, { recursive: true });
    },
    dataset: async (count, changes = {}, concurrency = 4) => {
      const dataset = datasetNameSchema.parse(`set-${randomUUID()}`);
      const items = Array.from({ length: count }, (_, index) =>
        itemIdSchema.parse(`boats-${index + 1}`),
      );
      const build: Build = {
        ...{ dataset, annotators: 1, gateTimeoutMs: null, budget: noCap, seedsFrom: 'seeds.jsonl' },
        ...{ prompts: ownPrompts, paused: false },
        model: exampleManifest().config.model,
        databases: [{ name: 'boats', tables: boats }],
        seeds: items.map((item, index) => ({
          ...{ item, database: 0, source: 'ours', licence: 'CC0' },
          question: `Which class of boats wins race ${index + 1} most often?`,
        })),
        ...changes,
      };
      await writeBuild(storage, build);
      const handle = (item: ItemId): WorkflowHandle =>
        temporal.client.workflow.getHandle(itemWorkflowId(testHome, dataset, item));
      const item = (id: ItemId): Promise<Item | null> => readItem(storage, dataset, id);
      const workflowId = datasetWorkflowId(testHome, dataset);
      return {
        ...{ dataset, items, handle, item },
        start: () =>
          temporal.client.workflow.start<(input: BuildDatasetInput) => Promise<unknown>>(
            workflowNames.buildDataset,
            {
              ...{ workflowId, taskQueue },
              args: [
                {
                  ...{ dataset, items: count, concurrency, budget: build.budget },
                  each: {
                    ...{ modelTimeoutMs: 5_000, modelAttempts: 2 },
                    ...{ annotators: build.annotators, gateTimeoutMs: build.gateTimeoutMs },
                  },
                },
              ],
            },
          ),
        ended: () => temporal.client.workflow.getHandle(workflowId).result(),
        progress: () => temporal.client.workflow.getHandle(workflowId).query(buildQuery),
        text: async (id, version) => (await readItemText(storage, dataset, id, version))?.text,
        decide: (id, decision) =>
          handle(id).executeUpdate(decideUpdate, { args: [decision], updateId: decision.id }),
        assign: (id, assigning) =>
          handle(id).executeUpdate(assignUpdate, { args: [assigning], updateId: assigning.id }),
        until: async (id, isSo) => {
          for (;;) {
            const found = await item(id);
            if (found !== null && isSo(found)) return found;
            await new Promise((resolve) => setTimeout(resolve, 50));
          }
        },
        pause: (paused) => pauseBuild(homeClient, { TURNWISE_HOME: folder }, dataset, paused),
        change: async (changed) => {
          const known = await readBuild(storage, dataset);
          if (known !== null) await writeBuild(storage, { ...known, ...changed });
        },
        calls: async () => {
          const steps: string[] = [];
          for await (const { step } of callsOf(storage, dataset)) steps.push(step);
          return steps.length;
        },
      };
    },
  };
}
