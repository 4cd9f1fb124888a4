import { methodNeeds, methodOf } from '../../../domain/agent/methods.js';
import { flag, formatOptions, type FlagsOf } from '../../../domain/option.js';
import type { RunConfig, Tuning } from '../../../domain/runs/run-config.js';
import { resultsFile } from '../../../domain/runs/run-manifest.js';
import type { RunTotals } from '../../../domain/runs/run-totals.js';
import type { Environment } from '../../../domain/settings.js';
import { exitStatus, UserError } from '../../../domain/user-error.js';
import { type Fork, writeRun, type RunPlan, type RunRequest } from '../../runs/prepare-run.js';
import { countTotals } from '../../runs/latest-results.js';
import { modelsToProbe } from '../../runs/probe-models.js';
import { samplesOf } from '../../runs/run-folder.js';
import { areServed, runPage } from '../../services/ensure-services.js';
import type { Session } from '../../services/session.js';
import { note, print, tell } from '../../services/tell.js';
import { endText, executeWithDisplay, isAsked, withSession } from './execute.js';
import { probeOption, yesOption } from './model-options.js';
import { probeBeforeStart, probeNote } from './probe-before-start.js';
import { Interrupted, isYes } from '../../services/user-error.js';
import { startOrTune } from '../../runs/execute-run.js';
import { exitStatusOf } from '../../views/print-summary.js';
import { estimateOf, type EstimateReport } from '../../runs/estimate-run.js';
import { printSections, tellSections } from '../../views/print-sections.js';
import { wordsSection } from '../../views/sections/section.js';
import { runForecast } from '../../views/estimates/run-estimate.js';

export const launchOptions = {
  dryRun: flag('forecast what the run takes, and start nothing'),
  ...yesOption,
  detach: flag('return as soon as the run has started'),
  ...probeOption,
  ...formatOptions,
};
export type LaunchFlags = FlagsOf<typeof launchOptions>;

/** Shows what a planned run will take, starts or continues it, and follows it to its end. */
export async function launchRun(
  plan: RunPlan,
  request: RunRequest,
  environment: Environment,
  flags: LaunchFlags,
): Promise<void> {
  for (const each of plan.notes) note(each);
  if (plan.fork) note(forkText(plan.fork, samplesOf(plan.manifest)));
  if (flags.dryRun) {
    await printForecast(plan, environment.TURNWISE_HOME, flags);
    return;
  }
  const asks = isAsked(flags.yes);
  const tellEstimate = (): Promise<boolean> =>
    tellWhatItTakes(plan, environment.TURNWISE_HOME, flags.probe, asks);
  if (asks && (await tellEstimate()) && !(await isWanted(plan))) {
    note('nothing was started');
    process.exitCode = exitStatus.badInput;
    return;
  }
  if (plan.kind === 'ended') return tellEnd(plan, flags);
  if (flags.detach && !areServed(environment)) throw nothingLeft();
  const { folder, manifest, kind } = await writeRun(plan, request);
  // A new run begins with them.
  const changed: Tuning = kind === 'new' ? {} : (request.tuning ?? {});
  tell(`${kind === 'new' ? 'starting' : 'continuing'} run ${manifest.run} in ${folder.path}`);
  let isStarted = kind !== 'new';
  const follow = async (session: Session): Promise<void> => {
    const page = runPage(
      { ...environment, ...session.services },
      session.client.home,
      manifest.run,
    );
    if (page !== null) tell(`watch it at ${page}`);
    if (flags.detach && session.services.startedHere) throw nothingLeft();
    if (flags.probe)
      await probeBeforeStart(session, environment, { ...plan, folder, manifest, kind });
    isStarted = true;
    if (flags.detach) {
      await startOrTune(session.client, environment, manifest, changed);
      print(
        `started run ${manifest.run}; \`turnwise status ${manifest.run}\` shows where it is, with --watch until it ends`,
      );
      return;
    }
    const totals = await executeWithDisplay(session, environment, { folder, manifest }, changed);
    await printEnd({ folder, manifest }, totals, flags);
  };
  await withSession(environment, follow, async () => {
    if (!asks) await tellEstimate();
  }).catch((error: unknown) => {
    if (!(error instanceof Interrupted)) throw error;
    throw error.with(
      isStarted
        ? error.message.replaceAll('RUN', manifest.run)
        : `run ${manifest.run} was not started: the same command starts it`,
    );
  });
}

const nothingLeft = (): UserError =>
  new UserError(
    'with --detach nothing would be left to do the work: start `turnwise up` in another terminal first',
  );

/** Of a run that had ended before: nothing is asked, started or written. */
async function tellEnd(plan: RunPlan, flags: LaunchFlags): Promise<void> {
  const { folder, manifest } = plan;
  tell(
    `every question of run ${manifest.run} has ended before: none is asked again, which another --run does`,
  );
  await printEnd(plan, manifest.totals ?? (await countTotals(folder)), flags);
}

async function printEnd(
  { folder, manifest }: Pick<RunPlan, 'folder' | 'manifest'>,
  totals: RunTotals,
  flags: LaunchFlags,
): Promise<void> {
  const words = [await endText(folder, manifest, totals), `results: ${folder.path}/${resultsFile}`];
  printSections(flags, {
    title: `Run ${manifest.run}`,
    sections: [wordsSection('run', 'Results', words)],
    data: { run: manifest.run, folder: folder.path, totals },
  });
  process.exitCode = exitStatusOf(totals);
}

function forkText({ from, kept, ended, fromTurn }: Fork, samples: number): string {
  if (kept.length === 0) {
    return `nothing of run ${from.run} can be kept: what differs may change every answer`;
  }
  return fromTurn === Infinity
    ? `of ${samples} questions, ${kept.length} are the same in run ${from.run}: their turns are kept and cost nothing again, and ${ended.length} of them had ended`
    : `${samples} questions of run ${from.run} go on anew from turn ${fromTurn}: earlier turns are kept and cost nothing again, and ${ended.length} of them had ended by then`;
}

const estimateFor = (plan: RunPlan, home: string): Promise<EstimateReport> | null =>
  plan.manifest.config.replay === null ? estimateOf(plan, home) : null;

/** What a run will take, of which nothing is written or started. */
async function printForecast(plan: RunPlan, home: string, flags: LaunchFlags): Promise<void> {
  const { manifest, kind, fork } = plan;
  const { run } = manifest;
  const estimate = await estimateFor(plan, home);
  const forecast = estimate ? runForecast(plan, estimate) : [];
  const words =
    kind === 'ended'
      ? `every question of run ${run} has ended: none would be asked`
      : [
          `run ${run} would be ${kind === 'new' ? 'started' : 'continued'}`,
          forecast.length === 0 && 'no model would be asked',
        ];
  const forked = fork && { forkedFrom: fork.from.run, kept: fork.kept.length };
  printSections(flags, {
    title: `Forecast of run ${run}`,
    sections: [wordsSection('run', 'Run', words), ...forecast],
    data: { run, kind, ...forked, ...estimate },
  });
}

/** Whether there was something to tell. @param asks - what is told is needed, quiet or not */
async function tellWhatItTakes(
  plan: RunPlan,
  home: string,
  probe: boolean,
  asks: boolean,
): Promise<boolean> {
  const estimate = await estimateFor(plan, home);
  const forecast = estimate ? runForecast(plan, estimate) : [];
  if (forecast.length === 0) return false;
  const models = probe ? await modelsToProbe(plan) : [];
  tellSections(
    [...forecast, wordsSection('probe', 'Probe', models.length > 0 && probeNote(models))],
    asks,
  );
  return true;
}

const isWanted = ({ kind }: RunPlan): Promise<boolean> =>
  isYes(kind === 'new' ? 'Start?' : 'Go on?');

/** Throws UserError where a method queries a graph and no program for it is set. It is the worker's setting, but seen before anything is spent only here. */
export function requireGraphProgram(
  config: Pick<RunConfig, 'method' | 'plugins'>,
  environment: Environment,
): void {
  const { method } = config;
  if (environment.TURNWISE_GRAPHRAG_COMMAND !== undefined || !methodNeeds(methodOf(config)).graph) {
    return;
  }
  throw new UserError(
    `${method} needs a program that queries a graph of your papers: set TURNWISE_GRAPHRAG_COMMAND, for this command and for the workers (\`turnwise docs methods\` says what the program is sent and answers)`,
  );
}
