import type { RunId } from '../../domain/ids.js';
import type { Note, RunManifest } from '../../domain/runs/run-manifest.js';
import { runFigures, runTools, type RunTools } from '../../domain/runs/run-figures.js';
import type { RunTotals } from '../../domain/runs/run-totals.js';
import type { RunAnswer } from '../../domain/scoring/answer.js';
import { scoreLedger, type ScoreLedger } from '../../domain/scoring/score-ledger.js';
import { samplesOf, type RunFolder } from './run-folder.js';
import {
  answersByFields,
  answersIn,
  readRun,
  rulingState,
  type RulingState,
} from './scoring/run-scores.js';
import { scorerOf } from './scoring/score-run.js';

/** The data of a run that a page shows, without its turns. */
export interface ReportedRun {
  readonly run: RunId;
  readonly manifest: RunManifest;
  /** Every question in every epoch, ended or not, in the dataset's order. */
  readonly answers: readonly RunAnswer[];
  readonly ledger: ScoreLedger;
  readonly totals: RunTotals;
  /** Null if no question has stored figures of its tools. */
  readonly tools: RunTools | null;
  /** What readers have noted, the oldest first. */
  readonly notes: readonly Note[];
  readonly rulings: RulingState;
  /** A description of the scorer and judge of its scores. */
  readonly scorer: string;
}

/** @param fields - further fields of the questions by which scores are grouped */
export async function readReportedRun(
  folder: RunFolder,
  fields: readonly string[],
): Promise<ReportedRun> {
  const files = await readRun(folder);
  const { manifest, results, scores, notes } = files;
  const answers = answersIn(files);
  return {
    run: folder.run,
    manifest,
    answers,
    ledger: scoreLedger(await answersByFields(folder, files, fields), fields),
    totals: runFigures(samplesOf(manifest), results, scores, []).totals,
    tools: runTools(results.map(({ tools }) => tools)),
    notes,
    rulings: rulingState(files),
    scorer: await scorerOf(folder, files),
  };
}
