import type { RunManifest } from '../domain/runs/run-manifest.js';
import type { RunTotals } from '../domain/runs/run-totals.js';
import { outsideFailures } from '../domain/runs/progress-text.js';
import type { Environment } from '../domain/settings.js';
import type { Session } from './session.js';
import { startRun, type RunHandle } from './start-run.js';
import { exitStatus, UserError } from './user-error.js';
import { watchRun, type RunWatcher } from './watch-run.js';

/** Starts or continues a prepared run and follows it to its end. Throws UserError where the run itself failed. */
export async function executeRun(
  session: Session,
  environment: Environment,
  manifest: RunManifest,
  watcher: RunWatcher,
): Promise<RunTotals> {
  const handle = await startRun(session.client, manifest, environment.TURNWISE_TASK_QUEUE);
  return followRun(session, handle, manifest, watcher);
}

/** Follows a run that was started before. Throws UserError where it failed. */
export async function followRun(
  { interrupted }: Pick<Session, 'interrupted'>,
  handle: RunHandle,
  { run }: RunManifest,
  watcher: RunWatcher,
): Promise<RunTotals> {
  const end = await watchRun(handle, watcher, interrupted);
  if (end.kind === 'done') return end.totals;
  throw new UserError(
    `run ${run} stopped: ${end.message}; what has ended is kept, and \`turnwise run\` with the same arguments and --run ${run} continues it`,
    exitStatus.serviceUnreachable,
  );
}

export const exitStatusOf = (totals: RunTotals): number =>
  outsideFailures(totals) > 0 ? exitStatus.doneWithOutsideFailures : exitStatus.done;
