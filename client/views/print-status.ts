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

/** Looks at a run with this process's own eyes. */
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
  // Services that start go on with every run there is: a look must not start them. What has ended is in its files.
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
  // Its failure is seen after the files are read.
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

/** A run whose files are on another machine: what its workflow says. */
async function printRemote(
  run: RunId,
  environment: Environment,
  { watch, json }: StatusFlags,
): Promise<void> {
  const services = await readyServices(environment);
  // Without a server of its own nobody here could know of it.
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

// Loaded only where a server is asked: Temporal's client takes longer to load than most runs to read.
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
