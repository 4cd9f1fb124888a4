import type { Client } from '@temporalio/client';
import { runWorkflowId, type RunId } from '../../domain/ids.js';
import type { RunManifest } from '../../domain/runs/run-manifest.js';
import type { RunTotals } from '../../domain/runs/run-totals.js';
import type { Tuning } from '../../domain/runs/tuning.js';
import type { Environment } from '../../domain/settings.js';
import { exitStatus, UserError } from '../../domain/user-error.js';
import { tuneRunUpdate } from '../../workflows/messages.js';
import { askRun, endStuckRun, isStuckRun } from '../runs/live-run.js';
import { RunFolder } from '../runs/run-folder.js';
import { startRun, type RunHandle } from '../runs/start-run.js';
import { announceRun } from '../runs/status-socket.js';
import type { Services } from '../services/ensure-services.js';
import { withServicesOf, type Session } from '../services/session.js';
import { progressDisplay } from './progress-display.js';
import { holdText, summaryText } from './run-text.js';
import { watchRun, type RunEnd, type RunWatcher } from './watch-run.js';

/**
 * Starts or continues a prepared run and follows it to its end. Throws UserError where the run itself failed, was
 * cancelled, or waits for somebody.
 * @param tuning - limits that are to hold from now on, also where the run is under way
 */
export async function executeRun(
  session: Session,
  environment: Environment,
  manifest: RunManifest,
  watcher: RunWatcher,
  tuning: Tuning = {},
): Promise<RunTotals> {
  for (;;) {
    const handle = await startOrTune(session.client, environment, manifest, tuning);
    const end = await endOfRun(session, handle, manifest, {
      onProgress: watcher.onProgress,
      onSilence: watcher.onSilence,
      leavesWhenParked: true,
    });
    if (end.kind !== 'stuck') return totalsOf(manifest, end);
  }
}

/** Starts a prepared run; where it is under way already, its new limits are told it. */
export async function startOrTune(
  client: Client,
  { TURNWISE_HOME, TURNWISE_TASK_QUEUE }: Environment,
  manifest: RunManifest,
  tuning: Tuning,
): Promise<RunHandle> {
  if (await isStuckRun(client, manifest.run)) {
    console.error(`${stuckText(manifest.run)}: it begins anew; ${keptText}`);
    await endStuckRun(client, manifest.run);
  }
  const handle = await startRun(client, manifest, TURNWISE_TASK_QUEUE);
  await announceRun(TURNWISE_HOME, manifest.run);
  if (Object.keys(tuning).length === 0) return handle;
  const folder = new RunFolder(TURNWISE_HOME, manifest.run);
  try {
    await askRun(client, folder, (open) => open.executeUpdate(tuneRunUpdate, { args: [tuning] }));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    console.error(`the new limits were not taken: ${error.message}`);
  }
  return handle;
}

/** Follows a run that was started before. Throws UserError where it failed. */
export const followRun = async (
  session: WatchingSession,
  handle: RunHandle,
  manifest: Pick<RunManifest, 'run'>,
  watcher: RunWatcher,
): Promise<RunTotals> => totalsOf(manifest, await endOfRun(session, handle, manifest, watcher));

type WatchingSession = Pick<Session, 'client' | 'interrupted'>;

const endOfRun = (
  { client, interrupted }: WatchingSession,
  handle: RunHandle,
  { run }: Pick<RunManifest, 'run'>,
  watcher: RunWatcher,
): Promise<RunEnd> =>
  watchRun(handle, { ...watcher, isStuck: () => isStuckRun(client, run) }, interrupted);

const stuckText = (run: RunId): string =>
  `the workflow of run ${run} cannot be replayed (a nondeterminism error, in Temporal's words)`;
const keptText = 'what has ended and every stored turn is kept';

function totalsOf({ run }: Pick<RunManifest, 'run'>, end: RunEnd): RunTotals {
  const remedy = `what has ended is kept, and \`turnwise run\` with the same arguments and --run ${run} continues it`;
  switch (end.kind) {
    case 'done':
      return end.totals;
    case 'cancelled':
      throw new UserError(
        `run ${run} was cancelled; ${remedy}`,
        exitStatus.doneWithOutsideFailures,
      );
    case 'parked':
      throw new UserError(
        `run ${run} waits, ${summaryText(end.progress.summary)}: ${holdText(run, end.progress) ?? ''}; ${remedy}`,
        exitStatus.doneWithOutsideFailures,
      );
    case 'stuck':
      throw new UserError(`${stuckText(run)}; ${remedy}`, exitStatus.serviceUnreachable);
    case 'failed':
      throw new UserError(
        `run ${run} stopped: ${end.message}; ${remedy}`,
        exitStatus.serviceUnreachable,
      );
  }
}

/**
 * Shows a run's progress until it ends. Throws UserError where it failed or was cancelled.
 * @param folder - null where the run's files are elsewhere
 */
export const watchToEnd = (
  services: Services,
  run: RunId,
  folder: RunFolder | null,
): Promise<RunTotals> =>
  withServicesOf(services, (session) => {
    const display = progressDisplay(session.client, run, folder);
    const handle = session.client.workflow.getHandle(runWorkflowId(run));
    return followRun(session, handle, { run }, display).finally(() => display.finish());
  });
