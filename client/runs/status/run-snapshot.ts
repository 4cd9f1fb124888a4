import type { RunId } from '../../../domain/ids.js';
import type { ModelConfig } from '../../../domain/models/model-settings.js';
import type { AccountSummary } from '../../../domain/rate-limits/account-state.js';
import type { LiveState } from '../../../domain/runs/run-progress.js';
import {
  runFigures,
  type QuestionHistory,
  type RunFigures,
} from '../../../domain/runs/run-figures.js';
import { endedCount } from '../../../domain/runs/run-totals.js';
import { usualTurnMs } from '../../../domain/runs/workflow-details.js';
import type { ScoreLedger } from '../../../domain/scoring/score-ledger.js';
import { countTotals, isToldByTotals, readLatest } from '../latest-results.js';
import { samplesOf, type RunFolder } from '../run-folder.js';
import { ledgerOf, readRun, type RunFiles } from '../scoring/run-scores.js';

/** The state of a run at one moment: `status`, `--watch` and the progress display are made from it. */
export interface RunSnapshot {
  readonly run: RunId;
  /** Milliseconds since 1970. */
  readonly takenAtMs: number;
  /** What the run's files say. Null where they are on another machine. */
  readonly stored: StoredRun | null;
  /** What the server says. Null where the run has ended. */
  readonly live: LiveState | null;
  /** The provider accounts in use. Empty where no worker has called the model in the last minutes. */
  readonly accounts: readonly ProviderAccount[];
}

export interface StoredRun extends RunFiles {
  /** Of a large run, its totals are of all questions and everything else of the latest ones. */
  readonly figures: RunFigures;
  /** Null for a large run, of which only the latest results are read. */
  readonly ledger: ScoreLedger | null;
  /** The usual duration of a turn. Null before any turn has ended. */
  readonly turnMs: number | null;
}

export interface ProviderAccount {
  readonly baseUrl: string;
  readonly model: string;
  readonly summary: AccountSummary;
}

/** What to ask the server about a run. */
export interface ServerQuery {
  readonly run: RunId;
  /** Null where the run's files are on another machine. */
  readonly folder: RunFolder | null;
  readonly isEnded: boolean;
  /** Null where only the workers know it. */
  readonly model: ModelConfig | null;
  /** How many histories to list at most. */
  readonly histories: number;
}

export interface ServerAnswer extends Pick<RunSnapshot, 'live' | 'accounts'> {
  readonly histories: readonly QuestionHistory[];
}

export type AskServer = (query: ServerQuery) => Promise<ServerAnswer>;

interface SnapshotSource {
  readonly run: RunId;
  /** Null where the run's files are on another machine. */
  readonly folder: RunFolder | null;
  /** Resolves to null where no services run, or none are needed. */
  readonly ask: Promise<AskServer | null>;
  /** How many histories of ended questions to list at most. @defaultValue 100 */
  readonly histories?: number;
  /** Whether all results are read, however many. @defaultValue false */
  readonly all?: boolean;
}

const defaultHistories = 100;

export async function takeSnapshot(source: SnapshotSource): Promise<RunSnapshot> {
  const { run, folder, histories = defaultHistories, all = false } = source;
  const files = folder && (await readFiles(folder, all));
  const isEnded = files !== null && files.manifest.status !== 'running';
  const ask = await source.ask;
  const model = files && files.manifest.config.model;
  const answer = ask
    ? await ask({ run, folder, isEnded, model, histories: files ? histories : 0 })
    : { ...noAnswer, ...(isEnded && { live: null }) };
  const { live, accounts } = answer;
  return {
    run,
    takenAtMs: Date.now(),
    stored: files && (await storedRun(files, answer)),
    live,
    accounts,
  };
}

const noAnswer: ServerAnswer = { live: { kind: 'no-services' }, histories: [], accounts: [] };

interface FilesRead extends RunFiles {
  readonly folder: RunFolder;
  readonly isLatest: boolean;
}

async function readFiles(folder: RunFolder, all: boolean): Promise<FilesRead> {
  const manifest = await folder.manifest();
  return !all && (await isToldByTotals(folder, manifest))
    ? { ...(await readLatest(folder, manifest)), folder, isLatest: true }
    : { ...(await readRun(folder)), folder, isLatest: false };
}

async function storedRun(
  { folder, isLatest, ...files }: FilesRead,
  { live, histories }: ServerAnswer,
): Promise<StoredRun> {
  const { manifest, results, scores } = files;
  const inFlight = live?.kind === 'open' ? live.progress.inFlight : [];
  const figures = runFigures(samplesOf(manifest), results, scores, histories, inFlight);
  const turnMs = usualTurnMs(results);
  if (!isLatest) return { ...files, figures, ledger: ledgerOf(files), turnMs };
  const known = live?.kind === 'open' ? live.progress.totals : manifest.totals;
  const totals = known ?? (await countTotals(folder));
  return {
    ...files,
    figures: { ...figures, totals, ended: endedCount(totals) },
    ledger: null,
    turnMs,
  };
}
