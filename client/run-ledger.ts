import { scoredSamples, type ScoredSample } from '../domain/reports/scored-sample.js';
import { scoreLedger, type ScoreLedger } from '../domain/reports/score-ledger.js';
import { scoreSchema } from '../domain/questions/score.js';
import { scoresFile } from '../domain/runs/run-layout.js';
import type { RunFolder } from './run-folder.js';

/** What a run's files say of its scores, as far as it is. */
export const runLedger = (folder: RunFolder, fields: readonly string[] = []): ScoreLedger =>
  scoreLedger(runSamples(folder), fields);

export const runSamples = (folder: RunFolder): readonly ScoredSample[] =>
  scoredSamples({
    items: folder.items(),
    epochs: folder.manifest().config.epochs,
    results: folder.results(),
    scores: folder.readLines(scoresFile, scoreSchema),
  });
