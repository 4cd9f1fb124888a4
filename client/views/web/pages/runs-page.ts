import { basename } from 'node:path';
import { costText } from '../../../../domain/models/usage.js';
import type { RunCondition } from '../../../../domain/runs/run-progress.js';
import { notesAbout, tagsOf, type RunManifest } from '../../../../domain/runs/run-manifest.js';
import {
  endedCount,
  outsideFailures,
  scoreMeans,
  type RunTotals,
} from '../../../../domain/runs/run-totals.js';
import { scaleLabels } from '../../../../domain/scoring/verdict.js';
import { rulingsText, type Headline } from '../../../../domain/scoring/score-ledger.js';
import { isS3, storageOf, type Environment } from '../../../../domain/settings.js';
import { listRuns, samplesOf } from '../../../runs/run-folder.js';
import { openStorePlace } from '../../../../storage/stores/store-place.js';
import { inWords } from '../../../runs/stores/store-files.js';
import type { RunRow, RunsData, ShownScore } from '../page-data.js';
import { pagePaths } from '../../page/page-paths.js';
import { RunSummaries, type RunSummaryFigures } from '../run-summaries.js';
import type { ViewHome } from '../view-home.js';
import type { ViewPage } from '../view-page.js';

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
    const wanted = manifests.filter(isWanted).reverse();
    const conditions = await home.reader.conditions(wanted);
    return Promise.all(
      wanted.map(async (manifest) => {
        const figures = await summaries.figuresOf(manifest);
        const totals = figures?.totals ?? manifest.totals;
        const tags = tagsOf(notesAbout(await home.folder(manifest.run).notes(), null));
        return {
          manifest,
          totals,
          row: {
            ...rowOf(manifest, totals, figures, conditions.get(manifest.run) ?? 'stopped'),
            tags,
          },
        };
      }),
    );
  };
}

/** All runs, the newest first. */
export const runsPage = ({ environment }: ViewHome, readRuns: ReadRuns): ViewPage => ({
  path: pagePaths.runs,
  load: async () => {
    const runs = (await readRuns(() => true)).map(({ row }) => row);
    const stores = await inWords(() => openStorePlace(environment).generations.stores());
    const data: RunsData = { home: environment.TURNWISE_HOME, runs, stores };
    return { data, refreshMs: refreshMsOf(environment) };
  },
});

function rowOf(
  manifest: RunManifest,
  totals: RunTotals | null,
  figures: RunSummaryFigures | null,
  state: RunCondition,
): Omit<RunRow, 'tags'> {
  const { run, config, dataset, startedAt, endedAt } = manifest;
  return {
    run,
    state,
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

export const scoresIn = (headlines: readonly Headline[]): readonly ShownScore[] =>
  headlines.flatMap((headline) => {
    const { scale, score } = headline;
    if (score === null) return [];
    const { mean, interval } = score;
    return [{ scale: scaleLabels[scale], mean, interval, rulings: rulingsText(headline) }];
  });

export const meansOf = (totals: RunTotals): readonly ShownScore[] =>
  scoreMeans(totals.scores).map(({ scale, mean }) => ({
    scale: scaleLabels[scale],
    mean,
    interval: null,
    rulings: null,
  }));
