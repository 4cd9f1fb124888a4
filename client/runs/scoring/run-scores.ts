import { keyText } from '../../../domain/ids.js';
import { scoredSamples, type ScoredSample } from '../../../domain/scoring/scored-sample.js';
import { scoreLedger, type ScoreLedger } from '../../../domain/scoring/score-ledger.js';
import type { DatasetItem } from '../../../domain/scoring/dataset-item.js';
import type { Result } from '../../../domain/agent/question-result.js';
import { scoreSchema, type Score } from '../../../domain/scoring/score.js';
import { scoresFile } from '../../../domain/runs/run-layout.js';
import type { RunManifest } from '../../../domain/runs/run-manifest.js';
import type { RunFolder } from '../run-folder.js';

/** What a run's files hold. Of a large run they are megabytes: to be read once. */
export interface RunFiles {
  readonly manifest: RunManifest;
  readonly items: readonly DatasetItem[];
  readonly results: readonly Result[];
  readonly scores: readonly Score[];
}

export async function readRun(folder: RunFolder): Promise<RunFiles> {
  // First: it says whether there is such a run.
  const manifest = await folder.manifest();
  const [items, results, scores] = await Promise.all([
    folder.items(),
    folder.results(),
    folder.readLines(scoresFile, scoreSchema),
  ]);
  return { manifest, items, results, scores };
}

/** What a run's files say of its scores, as far as it is. */
export const runLedger = async (
  folder: RunFolder,
  fields: readonly string[] = [],
): Promise<ScoreLedger> => ledgerOf(await readRun(folder), fields);

export const ledgerOf = (files: RunFiles, fields: readonly string[] = []): ScoreLedger =>
  scoreLedger(samplesIn(files), fields);

export const runSamples = async (folder: RunFolder): Promise<readonly ScoredSample[]> =>
  samplesIn(await readRun(folder));

/** Every question of a run in every epoch, in the order of its dataset. */
export const samplesIn = ({
  manifest,
  items,
  results,
  scores,
}: RunFiles): readonly ScoredSample[] =>
  scoredSamples({ items, epochs: manifest.config.epochs, results, scores });

/** A question of a run in one epoch, with what the run's files hold of it. */
export interface Answer {
  readonly item: DatasetItem;
  readonly epoch: number;
  /** Null if it has not ended. */
  readonly result: Result | null;
  /** Null as well if it has not ended: a score is stored before its result. */
  readonly score: Score | null;
}

/** Every question in every epoch, in the run's order: the whole dataset, then the next epoch. */
export function answersIn({ manifest, items, results, scores }: RunFiles): readonly Answer[] {
  const resultOf = new Map(results.map((result) => [keyText(result), result]));
  const scoreOf = new Map(scores.map((score) => [keyText(score), score]));
  return Array.from({ length: manifest.config.epochs }, (_, index) => index + 1).flatMap((epoch) =>
    items.map((item) => {
      const result = resultOf.get(keyText({ uuid: item.uuid, epoch })) ?? null;
      return { item, epoch, result, score: (result && scoreOf.get(keyText(result))) ?? null };
    }),
  );
}
