import type { RunManifest } from '../../../domain/runs/run-manifest.js';
import type { RunTotals } from '../../../domain/runs/run-totals.js';
import type { Tuning } from '../../../domain/runs/run-config.js';
import type { Environment } from '../../../domain/settings.js';
import { exitStatus, UserError } from '../../../domain/user-error.js';
import {
  databaseUse,
  temporalDatabase,
  type DatabaseUse,
} from '../../../storage/temporal-database.js';
import { executeRun } from '../../runs/execute-run.js';
import type { PreparedRun } from '../../runs/prepare-run.js';
import { isToldByTotals, readLatest } from '../../runs/latest-results.js';
import { samplesOf, type RunFolder } from '../../runs/run-folder.js';
import { ledgerOf, readRun } from '../../runs/scoring/run-scores.js';
import type { RunEnd } from '../../runs/watch-run.js';
import { withServices, type Session } from '../../services/session.js';
import { note, tell } from '../../services/tell.js';
import { isYes } from '../../services/user-error.js';
import { progressDisplay } from '../../views/progress/progress-display.js';
import {
  endReport,
  largeReport,
  latestReport,
  retryLine,
  totalsOf,
  growthText,
} from '../../views/end-report.js';
import { answerStatus } from './answer-status.js';

/** Runs `work` with services. While this command keeps services running, it answers `status` of other commands. */
export const withSession = <T>(
  environment: Environment,
  work: (session: Session) => Promise<T>,
  meanwhile?: () => Promise<void>,
): Promise<T> =>
  withServices(environment, work, {
    ...(meanwhile && { meanwhile }),
    onStarted: ({ temporalAddress }) => answerStatus(environment, temporalAddress),
  });

/** Of the database of the embedded Temporal server; null where another server is used. */
const embeddedUse = ({
  TEMPORAL_ADDRESS,
  TURNWISE_HOME,
}: Environment): Promise<DatabaseUse | null> =>
  TEMPORAL_ADDRESS === undefined
    ? databaseUse(temporalDatabase(TURNWISE_HOME)).catch(() => null)
    : Promise.resolve(null);

/** Starts or continues a run and shows its progress on stderr to its end. Throws UserError as `totalsOf` does. */
export const executeWithDisplay = async (
  session: Session,
  environment: Environment,
  run: Pick<PreparedRun, 'folder' | 'manifest'>,
  tuning?: Tuning,
): Promise<RunTotals> =>
  totalsOf(run.manifest.run, await watchWithDisplay(session, environment, run, tuning));

/** Starts or continues a run and shows its progress on stderr until it has ended or waits for a command. */
export async function watchWithDisplay(
  session: Session,
  environment: Environment,
  { folder, manifest }: Pick<PreparedRun, 'folder' | 'manifest'>,
  tuning?: Tuning,
): Promise<RunEnd> {
  const { run } = manifest;
  const display = progressDisplay(session.client, run, folder);
  const before = await embeddedUse(environment);
  const end = await executeRun(session, environment, manifest, display, tuning).finally(() =>
    display.finish(),
  );
  const growth = growthText(before, await embeddedUse(environment));
  if (growth !== null) tell(growth);
  return end;
}

/** What a run came to, as lines for the terminal. Of a large run not all results are read. */
export async function endText(
  folder: RunFolder,
  manifest: RunManifest,
  totals: RunTotals,
): Promise<string> {
  const samples = samplesOf(manifest);
  const { price } = manifest.config.model;
  if (await isToldByTotals(folder, manifest)) {
    const { results } = await readLatest(folder, manifest);
    return [
      largeReport({ samples, totals, price }),
      ...latestReport({ results }),
      ...retryLine(manifest.run, totals),
    ].join('\n');
  }
  const files = await readRun(folder);
  return [
    endReport({ samples, totals, price, results: files.results, ledger: ledgerOf(files) }),
    ...retryLine(manifest.run, totals),
  ].join('\n');
}

/** Whether somebody is asked before a command starts what costs money. */
export const isAsked = (yes: boolean | undefined): boolean => yes !== true && process.stdin.isTTY;

/** Asks before calls are paid for, unless `--yes` was given; nobody is asked where there is no terminal. A no sets the exit status. */
export async function isToStart(yes: boolean | undefined): Promise<boolean> {
  if (!isAsked(yes) || (await isYes('Start?'))) return true;
  note('nothing was started');
  process.exitCode = exitStatus.badInput;
  return false;
}

/**
 * Asks before `what` is removed for good, unless `--yes` was given. A no sets the exit status.
 * @throws UserError if nobody can be asked
 */
export async function isToRemove(what: string, yes: boolean | undefined): Promise<boolean> {
  if (yes === true) return true;
  if (!process.stdin.isTTY) throw new UserError(`this would remove ${what} for good: add --yes`);
  if (await isYes(`Remove ${what} for good?`)) return true;
  note('nothing was removed');
  process.exitCode = exitStatus.badInput;
  return false;
}
