import { addCost, costOfQuestion, noCost, type Cost } from '../models/cost.js';
import type { Result } from '../questions/result.js';
import { headlineOf, type Headline } from '../reports/headline.js';
import type { ScoredSample } from '../reports/scored-sample.js';
import { mean } from '../statistics/mean.js';

/** A run as it is compared with others. */
export interface ComparedRun {
  readonly run: string;
  readonly ended: boolean;
  /** Which scorer and judge its scores are from, in words. */
  readonly scorer: string;
  readonly samples: readonly ScoredSample[];
  readonly results: readonly Result[];
}

/** What a run came to by itself, over all of its questions. */
export interface RunSummary {
  readonly run: string;
  readonly scorer: string;
  readonly headline: Headline;
  /** Questions that have ended, each epoch counted. */
  readonly ended: number;
  /** Over those; null where there are none. */
  readonly meanTurns: number | null;
  readonly cost: Cost;
}

export const summaryOf = ({ run, scorer, samples, results }: ComparedRun): RunSummary => ({
  run,
  scorer,
  headline: headlineOf(samples),
  ended: results.length,
  meanTurns: results.length === 0 ? null : mean(results.map(({ turns }) => turns)),
  cost: results
    .map(({ costUsd, usage }) => costOfQuestion(costUsd, usage.calls))
    .reduce(addCost, noCost),
});
