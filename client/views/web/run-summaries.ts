import { setTimeout as sleep } from 'node:timers/promises';
import type { RunId } from '../../../domain/ids.js';
import {
  resultsFile,
  rulingsFile,
  scoresFile,
  type RunManifest,
} from '../../../domain/runs/run-manifest.js';
import type { RunTotals } from '../../../domain/runs/run-totals.js';
import { runFigures } from '../../../domain/runs/run-figures.js';
import { headlinesOf, type Headline } from '../../../domain/scoring/score-ledger.js';
import { isToldByTotals } from '../../runs/latest-results.js';
import { samplesOf, type RunFolder } from '../../runs/run-folder.js';
import { answersIn, readRun } from '../../runs/scoring/run-scores.js';

/** What is computed from all results of a run. */
export interface RunSummaryFigures {
  readonly headlines: readonly Headline[];
  readonly totals: RunTotals;
}

interface Known {
  readonly version: string;
  readonly figures: RunSummaryFigures | null;
}

/** As long as computing took, at least: what a browser asks for comes first. */
const leastRestMs = 5;

/**
 * The figures of many runs. They are computed one run after the other, in the background, and again when a run's results, scores or
 * rulings have changed.
 */
export class RunSummaries {
  readonly #known = new Map<RunId, Known>();
  readonly #wanted = new Map<RunId, () => Promise<void>>();
  #working: Promise<void> | null = null;

  constructor(private readonly folderOf: (run: RunId) => RunFolder) {}

  /** Null where they are not known yet, or never: a run of thousands of questions is not read whole. */
  async figuresOf(manifest: RunManifest): Promise<RunSummaryFigures | null> {
    const { run, status } = manifest;
    const folder = this.folderOf(run);
    if (await isToldByTotals(folder, manifest)) return null;
    const written = await Promise.all(
      [resultsFile, scoresFile, rulingsFile].map((file) => folder.writtenMs(file)),
    );
    const version = JSON.stringify([status, ...written]);
    const known = this.#known.get(run);
    if (known?.version !== version) {
      this.#wanted.set(run, async () => {
        this.#known.set(run, { version, figures: await figuresIn(folder) });
      });
      this.#working ??= this.#work();
    }
    return known?.figures ?? null;
  }

  /** Resolves when nothing is left to compute. */
  async idle(): Promise<void> {
    await this.#working;
  }

  async #work(): Promise<void> {
    for (;;) {
      const [next] = this.#wanted;
      if (next === undefined) break;
      this.#wanted.delete(next[0]);
      const startedAtMs = performance.now();
      await sleep(leastRestMs);
      await next[1]();
      await sleep(performance.now() - startedAtMs);
    }
    this.#working = null;
  }
}

/** Null where its files cannot be read: the page of the run says why. */
async function figuresIn(folder: RunFolder): Promise<RunSummaryFigures | null> {
  try {
    const files = await readRun(folder);
    const { manifest, results, scores } = files;
    return {
      headlines: headlinesOf(answersIn(files)),
      totals: runFigures(samplesOf(manifest), results, scores, []).totals,
    };
  } catch {
    return null;
  }
}
