import type { RunId } from '../../../domain/ids.js';
import type { FlagsOf, formatOptions } from '../../../domain/option.js';
import type { RunTotals } from '../../../domain/runs/run-totals.js';
import type { Environment } from '../../../domain/settings.js';
import { exitStatus } from '../../../domain/user-error.js';
import { absence, notServed, RunFolder } from '../../runs/run-folder.js';
import { takeSnapshot, type AskServer } from '../../runs/status/run-snapshot.js';
import { readyServices, type Services } from '../../services/ensure-services.js';
import { totalsReport } from '../../views/end-report.js';
import { exitStatusOf } from '../../views/print-summary.js';
import { printSections } from '../../views/print-sections.js';
import { wordsSection } from '../../views/sections/section.js';
import { statusResult } from '../../views/progress/status-text.js';

export interface StatusFlags extends FlagsOf<typeof formatOptions> {
  readonly watch?: true;
  readonly histories?: true;
  readonly all?: true;
}

/** Prints a snapshot that this process takes. Services that are not running stay off: starting them would continue every run. */
export async function printStatus(
  run: RunId,
  environment: Environment,
  flags: StatusFlags,
): Promise<void> {
  const folder = RunFolder.of(environment, run);
  if (await folder.isThere()) await printStored(folder, environment, flags);
  else await printRemote(run, environment, flags);
}

async function printStored(
  folder: RunFolder,
  environment: Environment,
  flags: StatusFlags,
): Promise<void> {
  const { watch, histories, all } = flags;
  const { run } = folder;
  const isRunning = (await folder.manifest()).status === 'running';
  // The files of an ended run say everything but the histories.
  const services = histories || isRunning ? readyServices(environment) : undefined;
  if (watch && isRunning) await watchToEnd(await services, run, folder, environment);
  const ask = Promise.resolve(services).then((ready) => {
    if (histories && !ready) throw notServed(run);
    return ready ? askServer(ready, environment) : null;
  });
  // `takeSnapshot` awaits it, and rethrows, once it has read the files.
  ask.catch(() => undefined);
  const snapshot = await takeSnapshot({
    run,
    folder,
    ask,
    ...(histories && { histories: Infinity }),
    ...(all && { all }),
  });
  printSections(flags, statusResult(snapshot));
  if (!watch || snapshot.stored === null) return;
  const { manifest, figures } = snapshot.stored;
  process.exitCode =
    manifest.status === 'cancelled'
      ? exitStatus.doneWithOutsideFailures
      : exitStatusOf(figures.totals);
}

/** A run whose files are on another machine: only its workflow is asked. */
async function printRemote(
  run: RunId,
  environment: Environment,
  flags: StatusFlags,
): Promise<void> {
  const services = await readyServices(environment);
  // An embedded server has only the runs of this home.
  if (!services || !environment.TEMPORAL_ADDRESS) {
    throw await RunFolder.of(environment, run).absence();
  }
  if (flags.watch) {
    const totals = await watchToEnd(services, run, null, environment);
    const sections = [wordsSection('run', 'Results', totalsReport(totals))];
    printSections(flags, { title: `Run ${run}`, sections, data: { run, totals } });
    process.exitCode = exitStatusOf(totals);
    return;
  }
  const snapshot = await takeSnapshot({
    run,
    folder: null,
    ask: Promise.resolve(askServer(services, environment)),
  });
  if (snapshot.live === null || snapshot.live.kind === 'not-open') throw absence(run);
  printSections(flags, statusResult(snapshot));
}

/** Loads the Temporal client, which takes 0.3 s, only where a server is asked. */
const askServer =
  ({ temporalAddress }: Services, environment: Environment): AskServer =>
  async (query) =>
    (await import('../../runs/query-run.js')).queryServer(temporalAddress, environment)(query);

async function watchToEnd(
  services: Services | undefined,
  run: RunId,
  folder: RunFolder | null,
  environment: Environment,
): Promise<RunTotals> {
  if (!services) throw notServed(run);
  const [{ watchStartedRun }, { withServicesOf }, { atHomeOf }, { progressDisplay }, { totalsOf }] =
    await Promise.all([
      import('../../runs/execute-run.js'),
      import('../../services/session.js'),
      import('../../services/home-client.js'),
      import('../../views/progress/progress-display.js'),
      import('../../views/end-report.js'),
    ]);
  return withServicesOf(services, environment, async (here) => {
    const client = folder ? here.client : await atHomeOf(here.client, run, environment);
    if (client === null) throw absence(run);
    const session = { ...here, client };
    const display = progressDisplay(session.client, run, folder);
    const end = await watchStartedRun(session, run, display).finally(() => display.finish());
    return totalsOf(run, end);
  });
}
