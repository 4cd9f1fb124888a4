import type { RunId } from '../ids.js';
import type { DatasetItem } from '../questions/dataset-item.js';
import type { Result } from '../questions/result.js';
import type { ScoreLedger } from '../reports/score-ledger.js';
import type { ScoredSample } from '../reports/scored-sample.js';
import type { RunManifest } from '../runs/run-manifest.js';
import type { RunTools } from '../runs/run-tools.js';
import type { RunTotals } from '../runs/run-totals.js';

/** All that a page says of a run, its turns apart. */
export interface ReportedRun {
  readonly run: RunId;
  readonly manifest: RunManifest;
  readonly items: readonly DatasetItem[];
  readonly results: readonly Result[];
  /** Every question in every epoch, ended or not, in the dataset's order. */
  readonly samples: readonly ScoredSample[];
  readonly ledger: ScoreLedger;
  readonly totals: RunTotals;
  /** Null where no question says anything of its tools. */
  readonly tools: RunTools | null;
  /** Which scorer and judge its scores are from, in words. */
  readonly scorer: string;
}
