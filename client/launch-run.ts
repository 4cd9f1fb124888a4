import { join } from 'node:path';
import type { Command } from 'commander';
import { resultsFile } from '../domain/runs/run-layout.js';
import type { Environment } from '../domain/settings.js';
import type { Tuning } from '../domain/runs/tuning.js';
import { endReport } from './end-report.js';
import { executeRun, startOrTune } from './execute-run.js';
import type { Fork } from './fork-run.js';
import { writeRun, type RunPlan, type RunRequest } from './prepare-run.js';
import { progressDisplay } from './progress-display.js';
import { runEstimateText } from './run-estimate.js';
import { exitStatusOf } from './run-exit-status.js';
import { samplesOf } from './run-folder.js';
import { runLedger } from './run-ledger.js';
import { runPage } from './run-page.js';
import { withServices, type Session } from './session.js';
import { exitStatus, UserError } from './user-error.js';
import { isYes } from './yes-or-no.js';

export interface LaunchFlags {
  readonly yes?: true;
  readonly detach?: true;
  readonly json?: true;
}

export const addLaunchOptions = (command: Command): Command =>
  command
    .option('--yes', 'start without asking; nobody is asked where there is no terminal')
    .option('--detach', 'return as soon as the run has started')
    .option('--json', 'print the totals as one JSON document');

/** Shows what a planned run will take, starts or continues it, and follows it to its end. */
export async function launchRun(
  plan: RunPlan,
  request: RunRequest,
  environment: Environment,
  flags: LaunchFlags,
): Promise<void> {
  for (const note of plan.notes) console.error(note);
  if (plan.fork) console.error(forkText(plan.fork, samplesOf(plan.manifest)));
  const isAsked = flags.yes !== true && process.stdin.isTTY;
  const tellEstimate = (): Promise<boolean> => tellWhatItTakes(plan, environment.TURNWISE_HOME);
  if (isAsked && (await tellEstimate()) && !(await isWanted(plan))) {
    console.error('nothing was started');
    process.exitCode = exitStatus.badInput;
    return;
  }
  const { folder, manifest, kind } = await writeRun(plan, request);
  // A new run begins with them.
  const changed: Tuning = kind === 'new' ? {} : (request.tuning ?? {});
  console.error(
    `${kind === 'new' ? 'starting' : 'continuing'} run ${manifest.run} in ${folder.path}`,
  );
  const follow = async (session: Session): Promise<void> => {
    const page = runPage(session.services, environment, manifest.run);
    if (page !== null) console.error(`watch it at ${page}`);
    if (flags.detach) {
      if (session.services.startedHere) {
        throw new UserError(
          'with --detach nothing would be left to do the work: start `turnwise up` in another terminal first',
        );
      }
      await startOrTune(session.client, environment, manifest, changed);
      console.log(
        `started run ${manifest.run}; \`turnwise status ${manifest.run}\` shows where it is, with --watch until it ends`,
      );
      return;
    }
    const display = progressDisplay(session.client, manifest.run, folder);
    const totals = await executeRun(session, environment, manifest, display, changed).finally(() =>
      display.finish(),
    );
    console.log(
      flags.json
        ? JSON.stringify({ run: manifest.run, folder: folder.path, totals }, null, 1)
        : `${endReport({ samples: samplesOf(manifest), totals, results: await folder.results(), ledger: await runLedger(folder) })}\nresults: ${join(folder.path, resultsFile)}`,
    );
    process.exitCode = exitStatusOf(totals);
  };
  await withServices(environment, follow, async () => {
    if (!isAsked) await tellEstimate();
  });
}

function forkText({ from, kept, ended, fromTurn }: Fork, samples: number): string {
  if (kept.length === 0) {
    return `nothing of run ${from.run} can be kept: what differs may change every answer`;
  }
  return fromTurn === Infinity
    ? `of ${samples} questions, ${kept.length} are the same in run ${from.run}: their turns are kept and cost nothing again, and ${ended.length} of them had ended`
    : `${samples} questions of run ${from.run} go on anew from turn ${fromTurn}: earlier turns are kept and cost nothing again, and ${ended.length} of them had ended by then`;
}

/** Whether there was something to tell. */
async function tellWhatItTakes(plan: RunPlan, home: string): Promise<boolean> {
  const estimate = plan.manifest.config.replay === null ? await runEstimateText(plan, home) : null;
  if (estimate !== null) console.error(estimate);
  return estimate !== null;
}

const isWanted = ({ kind }: RunPlan): Promise<boolean> =>
  isYes(kind === 'new' ? 'Start?' : 'Go on?');
