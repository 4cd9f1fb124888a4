import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { buildSchema, type Build } from '../../../domain/building/build.js';
import type { BuildProgress } from '../../../domain/building/build-state.js';
import { datasetWorkflowId, type DatasetName } from '../../../domain/ids.js';
import type { Environment } from '../../../domain/settings.js';
import { UserError } from '../../../domain/user-error.js';
import { readBuild, writeBuild } from '../../../storage/building-files.js';
import { openStorePlace, type StoreSettings } from '../../../storage/stores/store-place.js';
import type { buildDatasetWorkflow } from '../../../workflows/building/build-dataset.js';
import {
  buildQuery,
  pauseBuildUpdate,
  tuneBuildUpdate,
  workflowNames,
} from '../../../workflows/messages.js';
import { readyServices } from '../../services/ensure-services.js';
import type { HomeClient } from '../../services/home-client.js';
import { withServicesOf, type Session } from '../../services/session.js';
import { openBuild } from './dataset-files.js';
import { askInWords } from '../live-run.js';
import { findWorkflow } from '../../../temporal/stuck-workflows.js';
import { askOpen } from '../restarted.js';
import { callLimits } from '../scoring/execute-calls.js';
import { inWords } from '../stores/store-files.js';

const pollMs = 1_000;

/** Longer than a worker takes to answer a query. */
const queryMs = 4_000;

/** The dataset if it has begun, else null. Throws UserError where it was begun with other seeds or another way of deciding. */
export async function sameBuild(settings: StoreSettings, build: Build): Promise<Build | null> {
  const { storage } = openStorePlace(settings);
  const known = await inWords(() => readBuild(storage, build.dataset));
  if (known === null) return null;
  const fixed = ({ seeds, databases, annotators, gateTimeoutMs }: Build): string =>
    JSON.stringify([seeds, databases, annotators, gateTimeoutMs]);
  // As it would be stored: what was just imported carries more of its databases.
  if (fixed(known) === fixed(buildSchema.parse(build))) return known;
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
    const handle = client.workflow.getHandle(workflowId);
    await askOpen(client, workflowId, () =>
      handle.executeUpdate(tuneBuildUpdate, { args: [{ budget, concurrency }] }),
    );
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
    const isStarted = progress.started === progress.items;
    const isHeld = progress.held.length > 0 || progress.isPaused;
    if (progress.working === 0 && (isStarted || isHeld)) return progress;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** How far the building of a dataset is. Null where nothing works on it, or no worker answers. */
export async function liveBuild(
  environment: Environment,
  dataset: DatasetName,
): Promise<BuildProgress | null> {
  const services = await readyServices(environment);
  if (!services) return null;
  return withServicesOf(services, environment, async ({ client }) => {
    const handle = client.workflow.getHandle(datasetWorkflowId(client.home, dataset));
    const { kind } = await findWorkflow(client, handle.workflowId);
    if (kind !== 'open') return null;
    return client.withDeadline(Date.now() + queryMs, () => handle.query(buildQuery));
  }).catch(() => null);
}

/** Has no model asked any more for a dataset, or lets it go on. Calls under way end. People go on deciding. */
export async function pauseBuild(
  client: HomeClient,
  settings: StoreSettings,
  dataset: DatasetName,
  paused: boolean,
): Promise<BuildProgress> {
  const { storage } = openStorePlace(settings);
  const build = await openBuild(settings, dataset);
  const write = (): Promise<void> => inWords(() => writeBuild(storage, { ...build, paused }));
  // Whoever reads the file must not find a pause of which the workflow does not know: nothing would end it.
  if (!paused) await write();
  const progress = await tellBuild(client, dataset, paused);
  if (paused) await write();
  return progress;
}

/** Longer than a worker takes to answer, when there is one. */
const answerMs = 20_000;

function tellBuild(
  client: HomeClient,
  dataset: DatasetName,
  paused: boolean,
): Promise<BuildProgress> {
  const handle = client.workflow.getHandle(datasetWorkflowId(client.home, dataset));
  const pause = (): Promise<BuildProgress> =>
    handle.executeUpdate(pauseBuildUpdate, { args: [paused] });
  return askInWords(client, handle.workflowId, pause, {
    withinMs: answerMs,
    absent: () =>
      new UserError(
        `nobody builds dataset ${dataset} now: its items are done with, or \`turnwise dataset build\` with the same arguments goes on with it`,
      ),
    late: 'no worker runs that could answer: `turnwise up` or `turnwise worker` starts one; give the same command again',
  });
}
