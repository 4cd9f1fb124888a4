import type { DatasetItem } from '../questions/dataset-item.js';
import type { Result } from '../questions/result.js';
import type { Score } from '../questions/score.js';
import type { RunManifest } from '../runs/run-manifest.js';

/** What a run's files hold, the turns of its questions apart. */
export interface RunRecords {
  readonly manifest: RunManifest;
  readonly items: readonly DatasetItem[];
  readonly results: readonly Result[];
  readonly scores: readonly Score[];
}
