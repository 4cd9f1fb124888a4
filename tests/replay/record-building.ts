import type { WorkflowHandle } from '@temporalio/client';
import { buildReader, readBuiltDataset } from '../../client/runs/building/dataset-files.js';
import { pauseBuild, startBuild, untilDrafted } from '../../client/runs/building/build-dataset.js';
import { assignItem, decideItem, untilWaiting } from '../../client/runs/building/decide-item.js';
import type { HomeClient } from '../../client/services/home-client.js';
import type { Build } from '../../domain/building/build.js';
import type { Choice, Item } from '../../domain/building/item.js';
import { ownPrompts } from '../../domain/building/prompts.js';
import {
  datasetNameSchema,
  datasetWorkflowId,
  itemIdSchema,
  itemWorkflowId,
  type ItemId,
} from '../../domain/ids.js';
import { UserError } from '../../domain/user-error.js';
import { boats } from '../support/runs/building/boats.js';
import { exampleManifest } from '../support/runs/example-manifest.js';
import type { Recorder } from './recorder.js';

/**
 * A dataset of two items. One is done after edits, of which one does not run, and after it was parked; its worker is killed
 * while it waits. The other is assigned, held up by a pause, and rejected.
 */
export async function recordBuilding(recorder: Recorder): Promise<void> {
  const { client, home, loseWorker, model, write } = recorder;
  const settings = { TURNWISE_HOME: home };
  const dataset = datasetNameSchema.parse('built');
  const [one, two] = [itemIdSchema.parse('boats-1'), itemIdSchema.parse('boats-2')];
  const build: Build = {
    ...{ dataset, annotators: 1, gateTimeoutMs: 86_400_000, seedsFrom: 'seeds.jsonl' },
    ...{ prompts: ownPrompts, paused: false, budget: { usd: null, tokens: 1_000_000 } },
    model: { ...exampleManifest().config.model, baseUrl: model.url, maxTokens: 500 },
    databases: [{ name: 'boats', tables: boats }],
    seeds: [one, two].map((item) => ({
      ...{ item, database: 0, source: null, licence: null },
      question: 'Which class of boats wins most often?',
    })),
  };
  await startBuild({ client }, settings, build, 2);
  await untilDrafted({ client }, build, () => undefined);
  const itemOf = async (id: ItemId): Promise<Item> => {
    const { items } = await readBuiltDataset(settings, dataset, buildReader(settings));
    const found = items.find((item) => item.id === id);
    if (found === undefined) throw new Error(`no item ${id}`);
    return found;
  };
  const decide = async (id: ItemId, by: string, choice: Choice, reason = ''): Promise<Item> => {
    const { revision: seen } = await itemOf(id);
    await decideItem(settings, client, { dataset, item: id, by, seen, choice, reason });
    return untilWaiting(settings, { dataset, item: id });
  };

  await decide(one, 'ann', { kind: 'edit', text: 'Which class wins?' });
  await decide(one, 'ann', { kind: 'accept' });
  await loseWorker();
  await decide(one, 'ann', { kind: 'edit', text: 'DROP TABLE boats' }).catch((error: unknown) => {
    if (!(error instanceof UserError)) throw error;
  });
  await decide(one, 'ann', { kind: 'edit', text: "INSERT INTO boats VALUES (1, 'dinghy')" });
  // The queries of the simulated model find nothing in the other table.
  const parked = await decide(one, 'ann', { kind: 'accept' });
  if (parked.state !== 'parked') throw new Error(`it is ${parked.state}`);
  await decide(one, 'ann', { kind: 'redo', step: 'construct' }, 'fill both tables');
  await decide(one, 'ann', { kind: 'accept' });
  await decide(one, 'ann', { kind: 'accept', category: 'conclusive' });

  await assignItem(settings, client, { dataset, item: two, to: ['bob'], by: 'ann' });
  await pauseBuild(client, settings, dataset, true);
  const accepting = decide(two, 'bob', { kind: 'accept' });
  for (let held = 0; held === 0;) {
    ({
      held: { length: held },
    } = await pauseBuild(client, settings, dataset, true));
  }
  await pauseBuild(client, settings, dataset, false);
  await accepting;
  await decide(two, 'bob', { kind: 'reject' }, 'too easy');

  const built = datasetWorkflowId(client.home, dataset);
  await client.workflow.getHandle(built).result();
  const [itemOne, itemTwo] = [one, two].map((id) => itemWorkflowId(client.home, dataset, id));
  await write('dataset-item-edited', await firstHistory(client, itemOne));
  await write('dataset-item-in-last-history', client.workflow.getHandle(itemOne ?? ''));
  await write('dataset-item-held', await firstHistory(client, itemTwo));
  await write('build-dataset', await firstHistory(client, built));
}

/** The run that was continued as new. */
async function firstHistory({ workflow }: HomeClient, id = ''): Promise<WorkflowHandle> {
  const { events } = await workflow.getHandle(id).fetchHistory();
  const started = events?.[0]?.workflowExecutionStartedEventAttributes;
  return workflow.getHandle(id, started?.firstExecutionRunId ?? '');
}
