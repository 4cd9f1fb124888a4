import { usualTurnMs } from '../domain/questions/turn-time.js';
import type { ScoreLedger } from '../domain/reports/score-ledger.js';
import { runStatus, type RunStatus } from '../domain/runs/run-status.js';
import type { Answer, RunQuery } from './query-run.js';
import { samplesOf, type RunFolder } from './run-folder.js';
import { ledgerOf, readRun, type RunFiles } from './run-ledger.js';

/** All that is known of a run. */
export interface RunSnapshot extends RunFiles, Omit<Answer, 'histories'> {
  readonly status: RunStatus;
  readonly ledger: ScoreLedger;
  /** What a turn usually takes; null where none has been seen. */
  readonly turnMs: number | null;
  readonly nowMs: number;
}

/** Asks the services that run. */
export type Ask = (query: RunQuery) => Promise<Answer>;

/** Of so many questions the size of a turn's history is told, unless more are asked for. */
const historiesSeen = 100;

/** @param asked - null where no services run, or none need be asked */
export async function takeSnapshot(
  folder: RunFolder,
  taskQueue: string,
  asked: Promise<Ask | null>,
  histories = historiesSeen,
): Promise<RunSnapshot> {
  const files = await readRun(folder);
  const { manifest, results, scores } = files;
  const isEnded = manifest.status !== 'running';
  const turnMs = usualTurnMs(results);
  const ask = await asked;
  const query = {
    taskQueue,
    run: folder.run,
    folder,
    turnMs,
    isEnded,
    model: manifest.config.model,
    histories,
  };
  const answer = ask ? await ask(query) : { ...unanswered, ...(isEnded && { live: null }) };
  const { live } = answer;
  const inFlight = live?.kind === 'open' ? live.progress.inFlight : [];
  const status = runStatus(samplesOf(manifest), results, scores, answer.histories, inFlight);
  return { ...files, ...answer, status, ledger: ledgerOf(files), turnMs, nowMs: Date.now() };
}

const unanswered: Answer = { live: { kind: 'no-services' }, histories: [], limits: [] };
