import { basename } from 'node:path';
import { costText } from '../../../../domain/models/usage.js';
import type { RunManifest } from '../../../../domain/runs/run-manifest.js';
import {
  endedCount,
  outsideFailures,
  scoreMeans,
  type RunTotals,
} from '../../../../domain/runs/run-totals.js';
import { scaleLabels } from '../../../../domain/scoring/scale.js';
import { type Headline, headlinesOf } from '../../../../domain/scoring/score-ledger.js';
import { isS3, storageOf, type Environment } from '../../../../domain/settings.js';
import { listRuns, samplesOf, type RunFolder } from '../../../runs/run-folder.js';
import type { RunRow, RunsData, RunState, ShownScore } from '../page-data.js';
import { pagePaths } from '../page-paths.js';
import type { ViewHome } from '../view-home.js';
import type { ViewPage } from '../view-page.js';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunId } from '../../../../domain/ids.js';
import { resultsFile, scoresFile } from '../../../../domain/runs/run-layout.js';
import { runFigures } from '../../../../domain/runs/run-figures.js';
import { isLarge } from '../../../runs/latest-results.js';
import { answersIn, readRun } from '../../../runs/scoring/run-scores.js';

/** How often lists are read: in a bucket each look at a file is a request. */
export const refreshMsOf = (environment: Environment): number =>
  isS3(storageOf(environment)) ? 15_000 : 2_000;

export interface ListedRun {
  readonly manifest: RunManifest;
  /** Null until they are known. */
  readonly totals: RunTotals | null;
  readonly row: RunRow;
}

/** The runs that are wanted, the newest first. */
export type ReadRuns = (
  isWanted: (manifest: RunManifest) => boolean,
) => Promise<readonly ListedRun[]>;

/** Reads the list of runs for several pages. */
export function runsReader(home: ViewHome): ReadRuns {
  const { environment } = home;
  const summaries = new RunSummaries((run) => home.folder(run));
  return async (isWanted) => {
    const manifests = await listRuns(environment.TURNWISE_HOME, storageOf(environment));
    const isServed = home.knownServices !== undefined;
    const wanted = manifests.filter(isWanted).reverse();
    return Promise.all(
      wanted.map(async (manifest) => {
        const figures = await summaries.figuresOf(manifest);
        const totals = figures?.totals ?? manifest.totals;
        return { manifest, totals, row: rowOf(manifest, totals, figures, isServed) };
      }),
    );
  };
}

/** All runs, the newest first. */
export const runsPage = ({ environment }: ViewHome, readRuns: ReadRuns): ViewPage => ({
  path: pagePaths.runs,
  load: async () => {
    const runs = (await readRuns(() => true)).map(({ row }) => row);
    const data: RunsData = { home: environment.TURNWISE_HOME, runs };
    return { data, refreshMs: refreshMsOf(environment) };
  },
});

function rowOf(
  manifest: RunManifest,
  totals: RunTotals | null,
  figures: RunSummaryFigures | null,
  isServed: boolean,
): RunRow {
  const { run, config, dataset, startedAt, endedAt } = manifest;
  return {
    run,
    state: stateOf(manifest, isServed),
    method: config.method,
    model: config.model.name,
    dataset: basename(dataset.path),
    startedAt,
    endedAt,
    ended: totals && endedCount(totals),
    samples: samplesOf(manifest),
    failed: totals === null ? 0 : outsideFailures(totals),
    scores: figures ? scoresIn(figures.headlines) : totals && meansOf(totals),
    costUsd: totals && totals.cost.usd,
    cost: totals === null ? '' : costText(totals.cost),
  };
}

export function stateOf({ status }: RunManifest, isServed: boolean): RunState {
  if (status !== 'running') return status;
  return isServed ? 'running' : 'unfinished';
}

export const scoresIn = (headlines: readonly Headline[]): readonly ShownScore[] =>
  headlines.flatMap(({ scale, score }) =>
    score === null
      ? []
      : [{ scale: scaleLabels[scale], mean: score.mean, interval: score.interval }],
  );

export const meansOf = (totals: RunTotals): readonly ShownScore[] =>
  scoreMeans(totals.scores).map(({ scale, mean }) => ({
    scale: scaleLabels[scale],
    mean,
    interval: null,
  }));

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
 * The figures of many runs. They are computed one run after the other, in the background, and again when a run's results or
 * scores have changed.
 */
export class RunSummaries {
  readonly #known = new Map<RunId, Known>();
  readonly #wanted = new Map<RunId, () => Promise<void>>();
  #working: Promise<void> | null = null;

  constructor(private readonly folderOf: (run: RunId) => RunFolder) {}

  /** Null where they are not known yet, or never: a run of thousands of questions is not read whole. */
  async figuresOf(manifest: RunManifest): Promise<RunSummaryFigures | null> {
    const { run, status } = manifest;
    if (isLarge(manifest)) return null;
    const folder = this.folderOf(run);
    const written = await Promise.all(
      [resultsFile, scoresFile].map((file) => folder.writtenMs(file)),
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
