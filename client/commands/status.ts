import type { Command } from 'commander';
import { runIdSchema, type RunId } from '../../domain/ids.js';
import { usualTurnMs } from '../../domain/questions/turn-time.js';
import type { RunTotals } from '../../domain/runs/run-totals.js';
import { runStatus } from '../../domain/runs/run-status.js';
import type { Environment } from '../../domain/settings.js';
import { loadEnvironment } from '../environment.js';
import type { Answer, Inquiry } from '../inquire.js';
import { parseArgument } from '../parse-argument.js';
import { exitStatusOf } from '../run-exit-status.js';
import { ledgerOf, readRun } from '../run-ledger.js';
import { readyServices, type Services } from '../services.js';
import { totalsReport } from '../end-report.js';
import { notServed } from '../not-served.js';
import { absence, RunFolder, samplesOf } from '../run-folder.js';
import { remoteStatusText, statusDocument, statusText } from '../status-text.js';
import { exitStatus } from '../user-error.js';

interface StatusFlags {
  readonly watch?: true;
  readonly histories?: true;
  readonly json?: true;
}

/** Of so many questions the size of a turn's history is told, unless all are asked for. */
const historiesSeen = 100;

export function registerStatus(program: Command): void {
  program
    .command('status')
    .description('where a run is, what its questions came to, and what those under way wait for')
    .argument('<run>', 'the run', parseArgument(runIdSchema))
    .option('--watch', 'show its progress until it ends; the exit status is that of the run')
    .option('--histories', 'with the history size of every question, which takes longer')
    .option('--json', 'one JSON document')
    .action(printStatus);
}

async function printStatus(run: RunId, flags: StatusFlags): Promise<void> {
  const environment = loadEnvironment();
  const folder = new RunFolder(environment.TURNWISE_HOME, run);
  if (folder.isThere()) await printFrom(folder, environment, flags);
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
    histories || folder.manifest().status === 'running' ? readyServices(environment) : undefined;
  if (watch && folder.manifest().status === 'running') await follow(await asked, run, folder);
  const files = readRun(folder);
  const { manifest, results } = files;
  const isEnded = manifest.status !== 'running';
  const turnMs = usualTurnMs(results);
  const services = await asked;
  if (histories && !services) throw notServed(run);
  const answer = services
    ? await inquireOf(services, {
        taskQueue: environment.TURNWISE_TASK_QUEUE,
        run,
        folder,
        turnMs,
        isEnded,
        model: manifest.config.model,
        histories: histories ? Infinity : historiesSeen,
      })
    : { ...unanswered, ...(isEnded && { live: null }) };
  const { live } = answer;
  const status = runStatus(
    samplesOf(manifest),
    results,
    files.scores,
    answer.histories,
    live?.kind === 'open' ? live.progress.inFlight : [],
  );
  const all = { ...files, ...answer, status, ledger: ledgerOf(files), turnMs, nowMs: Date.now() };
  console.log(json ? JSON.stringify(statusDocument(all), null, 1) : statusText(all));
  if (watch) {
    process.exitCode =
      manifest.status === 'cancelled'
        ? exitStatus.doneWithOutsideFailures
        : exitStatusOf(status.totals);
  }
}

const unanswered: Answer = { live: { kind: 'no-services' }, histories: [], limits: [] };

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
  const { live } = await inquireOf(services, {
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
async function inquireOf(services: Services, inquiry: Inquiry): Promise<Answer> {
  const { inquire } = await import('../inquire.js');
  return inquire(services, inquiry);
}

async function follow(
  services: Services | undefined,
  run: RunId,
  folder: RunFolder | null,
): Promise<RunTotals> {
  if (!services) throw notServed(run);
  const { watchToEnd } = await import('../watch-to-end.js');
  return watchToEnd(services, run, folder);
}
