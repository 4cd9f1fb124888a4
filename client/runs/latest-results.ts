import { resultSchema } from '../../domain/agent/question-result.js';
import { costOfQuestion } from '../../domain/models/usage.js';
import {
  resultsFile,
  rulingsFile,
  scoresFile,
  type RunManifest,
} from '../../domain/runs/run-manifest.js';
import {
  addEnded,
  addScore,
  noScores,
  noTotals,
  type RunTotals,
} from '../../domain/runs/run-totals.js';
import { scoreSchema } from '../../domain/scoring/score.js';
import { scaleOf } from '../../domain/scoring/verdict.js';
import { samplesOf, type RunFolder } from './run-folder.js';
import type { RunFiles } from './scoring/run-scores.js';

/** Of a run with more samples only the latest results are read, so that `status` takes no longer for a larger run. */
const mostSamples = 5_000;
/** How much is read of each file: a thousand questions or more. */
const latestBytes = 2 ** 20;

export const isLarge = (manifest: RunManifest): boolean => samplesOf(manifest) > mostSamples;

/** Whether the totals of a run tell its means. A large one that people have ruled on or signed off is read whole. */
export const isToldByTotals = async (folder: RunFolder, manifest: RunManifest): Promise<boolean> =>
  isLarge(manifest) && (await folder.writtenMs(rulingsFile)) === null;

/** The end of a run's files, without its dataset and its rulings. */
export async function readLatest(folder: RunFolder, manifest: RunManifest): Promise<RunFiles> {
  const [results, scores, notes] = await Promise.all([
    folder.lastLines(resultsFile, resultSchema, latestBytes),
    folder.lastLines(scoresFile, scoreSchema, latestBytes),
    folder.notes(),
  ]);
  return { manifest, items: [], results, scores, notes, rulings: [] };
}

/** The totals of all results of a run. Reads them a part at a time, which takes seconds for a large run. */
export async function countTotals(folder: RunFolder): Promise<RunTotals> {
  let scores = noScores;
  await folder.eachLine(scoresFile, scoreSchema, ({ score, scorer }) => {
    scores = addScore(scores, { score, scale: scaleOf(scorer) });
  });
  let totals = noTotals;
  await folder.eachLine(resultsFile, resultSchema, ({ outcome, turns, usage, costUsd }) => {
    const cost = costOfQuestion(costUsd, usage.calls);
    totals = addEnded(totals, { outcome: outcome.kind, turns, usage, cost, score: null });
  });
  return { ...totals, scores };
}
