import { runWorkflowId, type RunId } from '../../domain/ids.js';
import type { RunManifest } from '../../domain/runs/run-manifest.js';
import type { Tuning } from '../../domain/runs/run-config.js';
import type { Environment } from '../../domain/settings.js';
import { UserError } from '../../domain/user-error.js';
import { tuneRunUpdate } from '../../workflows/messages.js';
import type { Session } from '../services/session.js';
import { isGivenUp, stuckText } from '../../domain/stuck-workflow.js';
import { findWorkflow } from '../../temporal/stuck-workflows.js';
import { askRun } from './live-run.js';
import { restartIfStuck } from './restarted.js';
import { RunFolder } from './run-folder.js';
import { startRun, type RunHandle } from './start-run.js';
import { announceRun } from './status/status-socket.js';
import { watchRun, type RunEnd, type RunWatcher } from './watch-run.js';
import type { HomeClient } from '../services/home-client.js';
import { warn } from '../services/tell.js';

type WatchingSession = Pick<Session, 'client' | 'interrupted'>;

/**
 * Starts or continues a prepared run and watches it until it has ended or waits for a user's command.
 * @param tuning - new limits, for a run that is already open too
 */
export async function executeRun(
  { client, interrupted }: WatchingSession,
  environment: Environment,
  manifest: RunManifest,
  { onProgress, onSilence }: RunWatcher,
  tuning: Tuning = {},
): Promise<RunEnd> {
  // To start it again would only write its end again.
  if (manifest.status === 'done' && manifest.totals) {
    return { kind: 'done', totals: manifest.totals };
  }
  const whyStuck = (): Promise<string | null> => whyRunIsStuck(client, manifest.run);
  const watcher = { onProgress, onSilence, whyStuck, leavesWhenParked: true };
  const handle = await startOrTune(client, environment, manifest, tuning);
  return watchRun(handle, watcher, interrupted);
}

/** Null where the run goes on, or is started again from its files by a worker. */
async function whyRunIsStuck(client: HomeClient, run: RunId): Promise<string | null> {
  const found = await findWorkflow(client, runWorkflowId(client.home, run));
  return found.kind === 'stuck' && isGivenUp(found.stuck) ? stuckText(found.stuck) : null;
}

/** Starts a prepared run. A run that is open already gets its new limits. */
export async function startOrTune(
  client: HomeClient,
  environment: Environment,
  manifest: RunManifest,
  tuning: Tuning,
): Promise<RunHandle> {
  const { run } = manifest;
  await restartIfStuck(client, runWorkflowId(client.home, run));
  const handle = await startRun(client, manifest);
  await announceRun(environment.TURNWISE_HOME, run);
  if (Object.keys(tuning).length === 0) return handle;
  const folder = RunFolder.of(environment, run);
  try {
    await askRun(client, folder, (open) => open.executeUpdate(tuneRunUpdate, { args: [tuning] }));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    warn(`the new limits were not taken: ${error.message}`);
  }
  return handle;
}

/** Watches a run that was started before. */
export const watchStartedRun = (
  { client, interrupted }: WatchingSession,
  run: RunId,
  { onProgress, onSilence }: RunWatcher,
): Promise<RunEnd> =>
  watchRun(
    client.workflow.getHandle(runWorkflowId(client.home, run)),
    { onProgress, onSilence, whyStuck: () => whyRunIsStuck(client, run) },
    interrupted,
  );
