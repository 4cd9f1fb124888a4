import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { Build } from '../../../domain/building/build.js';
import type { BuildProgress } from '../../../domain/building/build-state.js';
import { datasetWorkflowId } from '../../../domain/ids.js';
import { UserError } from '../../../domain/user-error.js';
import { readBuild, writeBuild } from '../../../storage/building-files.js';
import { openStorePlace, type StoreSettings } from '../../../storage/stores/store-place.js';
import type { buildDatasetWorkflow } from '../../../workflows/building/build-dataset.js';
import { buildQuery, tuneBuildUpdate, workflowNames } from '../../../workflows/messages.js';
import type { Session } from '../../services/session.js';
import { callLimits } from '../scoring/execute-calls.js';
import { inWords } from '../stores/store-files.js';

const pollMs = 1_000;

/** Whether the dataset has begun. Throws UserError where it was begun with other seeds or another way of deciding. */
export async function requireSameBuild(settings: StoreSettings, build: Build): Promise<boolean> {
  const { storage } = openStorePlace(settings);
  const known = await inWords(() => readBuild(storage, build.dataset));
  if (known === null) return false;
  const fixed = ({ seeds, databases, annotators, gateTimeoutMs }: Build): string =>
    JSON.stringify([seeds, databases, annotators, gateTimeoutMs]);
  if (fixed(known) === fixed(build)) return true;
  throw new UserError(
    `dataset ${build.dataset} was begun with other seeds, annotators or time limits, from ${known.seedsFrom}: give another --dataset, or the same as then`,
  );
}

/** Starts the building of a dataset, or continues it with these limits, and wakes what is held up. */
export async function startBuild(
  { client }: Pick<Session, 'client'>,
  settings: StoreSettings,
  build: Build,
  concurrency: number,
): Promise<void> {
  const { dataset, budget, seeds, annotators, gateTimeoutMs, model } = build;
  const { storage } = openStorePlace(settings);
  await inWords(() => writeBuild(storage, build));
  const workflowId = datasetWorkflowId(client.home, dataset);
  try {
    await client.workflow.start<typeof buildDatasetWorkflow>(workflowNames.buildDataset, {
      ...{ workflowId, taskQueue: client.queue },
      staticSummary: `building of dataset ${dataset}, ${seeds.length} items`,
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'FAIL',
      args: [
        {
          ...{ dataset, items: seeds.length, concurrency, budget },
          each: { ...callLimits([model]), annotators, gateTimeoutMs },
        },
      ],
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    await client.workflow
      .getHandle(workflowId)
      .executeUpdate(tuneBuildUpdate, { args: [{ budget, concurrency }] });
  }
}

/** Waits until no item is drafted any more without a person, and tells how far it is. */
export async function untilDrafted(
  { client }: Pick<Session, 'client'>,
  { dataset }: Pick<Build, 'dataset'>,
  onProgress: (progress: BuildProgress) => void,
): Promise<BuildProgress> {
  const handle = client.workflow.getHandle(datasetWorkflowId(client.home, dataset));
  for (;;) {
    const progress = await handle.query(buildQuery);
    onProgress(progress);
    // What is held up waits for somebody to give this command again.
    const working = progress.drafting - progress.held.length;
    const isStarted = progress.started === progress.items;
    if (working <= 0 && (isStarted || progress.held.length > 0)) return progress;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
