import {
  isGrpcServiceError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ActivityFailure } from '@temporalio/common';
import { runWorkflowId, type RunId } from '../../domain/ids.js';
import { endedReason, runCondition } from '../../domain/runs/run-progress.js';
import type { RunManifest } from '../../domain/runs/run-manifest.js';
import { exitStatus, UserError } from '../../domain/user-error.js';
import { readyServices } from '../services/ensure-services.js';
import { loadEnvironment } from '../services/environment.js';
import { connectTemporal } from '../services/session.js';
import type { HomeClient } from '../services/home-client.js';
import { askOpen } from './restarted.js';
import { notServed, RunFolder } from './run-folder.js';
import type { RunHandle } from './start-run.js';
import { announceRun } from './status/status-socket.js';

/** Longer than a worker takes to answer, when there is one. */
const answerMs = 20_000;

interface LiveRun {
  readonly client: HomeClient;
  readonly folder: RunFolder;
  readonly manifest: RunManifest;
  /** Sends a query or an update to the run's workflow. Throws UserError where it refuses, is closed, or does not answer in time. */
  readonly ask: <T>(question: (handle: RunHandle) => Promise<T>) => Promise<T>;
}

/** Runs `work` on a run with the running services; starts none. Throws UserError where none run, or there is no such run. */
export async function withLiveRun<T>(run: RunId, work: (live: LiveRun) => Promise<T>): Promise<T> {
  const environment = loadEnvironment();
  const folder = RunFolder.of(environment, run);
  const manifest = await folder.manifest();
  if (manifest.status === 'done') throw hasEnded(manifest);
  const services = await readyServices(environment);
  if (!services) throw notServed(run);
  const client = await connectTemporal(services.temporalAddress, environment);
  try {
    return await work({
      client,
      folder,
      manifest,
      ask: (question) => askRun(client, folder, question),
    });
  } finally {
    await client.connection.close();
  }
}

/** @param withinMs - after which no worker is expected to answer any more */
export async function askRun<T>(
  client: HomeClient,
  folder: RunFolder,
  question: (handle: RunHandle) => Promise<T>,
  withinMs = answerMs,
): Promise<T> {
  const workflowId = runWorkflowId(client.home, folder.run);
  const handle: RunHandle = client.workflow.getHandle(workflowId);
  const answer = await askInWords(client, workflowId, () => question(handle), {
    withinMs,
    absent: async () => hasEnded(await folder.manifest()),
    late: `no worker runs that could answer for run ${folder.run}: \`turnwise up\` or \`turnwise worker\` starts one; what was asked for may take effect then`,
  });
  await announceRun(folder.home, folder.run);
  return answer;
}

/** What is said where a workflow does not answer. */
interface Words {
  /** After which no worker is expected to answer any more. */
  readonly withinMs: number;
  /** There is none that is open. */
  readonly absent: () => UserError | Promise<UserError>;
  readonly late: string;
}

/** Asks an open workflow something. Throws UserError where it refuses, is closed, or does not answer in time. */
export async function askInWords<T>(
  client: HomeClient,
  workflowId: string,
  ask: () => Promise<T>,
  { withinMs, absent, late }: Words,
): Promise<T> {
  try {
    return await askOpen(client, workflowId, () => client.withDeadline(Date.now() + withinMs, ask));
  } catch (error) {
    if (error instanceof WorkflowUpdateFailedError) throw new UserError(refusal(error));
    if (error instanceof WorkflowNotFoundError) throw await absent();
    if (isLate(error)) throw new UserError(late, exitStatus.serviceUnreachable);
    throw error;
  }
}

/** In the workflow's own words, or in those of the activity that failed. */
export function refusal({ cause, message }: WorkflowUpdateFailedError): string {
  const failure = cause instanceof ActivityFailure ? cause.cause : cause;
  return failure?.message ?? message;
}

const isLate = (error: unknown): boolean =>
  error instanceof WorkflowUpdateRPCTimeoutOrCancelledError ||
  (error instanceof Error && isGrpcServiceError(error.cause ?? error));

function hasEnded({ run, status }: RunManifest): UserError {
  const remedy =
    status === 'done'
      ? `\`turnwise retry ${run}\` asks again what failed for outside reasons`
      : `\`turnwise run\` with the same arguments and --run ${run} continues it`;
  const state = `${runCondition(status, { kind: 'not-open' })}${endedReason(status)}`;
  return new UserError(`run ${run} is ${state}; ${remedy}`);
}
