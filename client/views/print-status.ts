import type { RunId } from '../../domain/ids.js';
import type { RunTotals } from '../../domain/runs/run-totals.js';
import type { Environment } from '../../domain/settings.js';
import { totalsReport } from './end-report.js';
import { notServed } from '../runs/live-run.js';
import { absence, RunFolder } from '../runs/run-folder.js';
import { takeSnapshot, type Ask } from '../runs/run-snapshot.js';
import { exitStatusOf } from './print-summary.js';
import { readyServices, type Services } from '../services/ensure-services.js';
import { remoteStatusText, statusOutput } from './status-text.js';
import { exitStatus } from '../../domain/user-error.js';

export interface StatusFlags {
  readonly watch?: true;
  readonly histories?: true;
  readonly json?: true;
}

/** Prints the status of a run, without the help of a running `turnwise up`. */
export async function printStatus(
  run: RunId,
  environment: Environment,
  flags: StatusFlags,
): Promise<void> {
  const folder = new RunFolder(environment.TURNWISE_HOME, run);
  if (await folder.isThere()) await printFrom(folder, environment, flags);
  else await printRemote(run, environment, flags);
}

async function printFrom(
  folder: RunFolder,
  environment: Environment,
  { watch, histories, json }: StatusFlags,
): Promise<void> {
  const { run } = folder;
  // Does not start services, because they would resume every unfinished run. The files describe an ended run completely.
  const asked =
    histories || (await folder.manifest()).status === 'running'
      ? readyServices(environment)
      : undefined;
  if (watch && (await folder.manifest()).status === 'running')
    await follow(await asked, run, folder);
  const ask = Promise.resolve(asked).then((services) => {
    if (histories && !services) throw notServed(run);
    return services ? askOver(services) : null;
  });
  // Prevents an unhandled rejection: `takeSnapshot` awaits it only after it has read the files.
  ask.catch(() => undefined);
  const { TURNWISE_TASK_QUEUE } = environment;
  const all = await takeSnapshot(
    folder,
    TURNWISE_TASK_QUEUE,
    ask,
    ...(histories ? [Infinity] : []),
  );
  console.log(statusOutput(all, json === true));
  if (watch) {
    process.exitCode =
      all.manifest.status === 'cancelled'
        ? exitStatus.doneWithOutsideFailures
        : exitStatusOf(all.status.totals);
  }
}

/** Prints the status of a run whose files are on another machine, from its workflow. */
async function printRemote(
  run: RunId,
  environment: Environment,
  { watch, json }: StatusFlags,
): Promise<void> {
  const services = await readyServices(environment);
  // Without TEMPORAL_ADDRESS only this machine has runs, and this one is not among them.
  if (!services || !environment.TEMPORAL_ADDRESS) throw absence(run);
  if (watch) {
    const totals = await follow(services, run, null);
    console.log(json ? JSON.stringify({ run, totals }, null, 1) : totalsReport(totals));
    process.exitCode = exitStatusOf(totals);
    return;
  }
  const { live } = await askOver(services)({
    taskQueue: environment.TURNWISE_TASK_QUEUE,
    run,
    folder: null,
    turnMs: null,
    isEnded: false,
    model: null,
    histories: 0,
  });
  if (live === null || live.kind === 'not-open') throw absence(run);
  console.log(json ? JSON.stringify({ run, live }, null, 1) : remoteStatusText(run, live));
}

// Loaded only when needed: loading Temporal's client takes longer than reading most runs.
function askOver(services: Services): Ask {
  return async (query) => {
    const [{ connectTemporal }, { queryRun }] = await Promise.all([
      import('../services/session.js'),
      import('../runs/query-run.js'),
    ]);
    const client = await connectTemporal(services.temporalAddress);
    try {
      return await queryRun(client, query);
    } finally {
      await client.connection.close();
    }
  };
}

async function follow(
  services: Services | undefined,
  run: RunId,
  folder: RunFolder | null,
): Promise<RunTotals> {
  if (!services) throw notServed(run);
  const { watchToEnd } = await import('./follow-run.js');
  return watchToEnd(services, run, folder);
}
