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
import type { Headline } from '../../../../domain/scoring/score-ledger.js';
import { isS3, storageOf } from '../../../../domain/settings.js';
import { listRuns, samplesOf } from '../../../runs/run-folder.js';
import type { RunRow, RunsData, RunState, ShownScore } from '../page-data.js';
import { pagePaths } from '../page-paths.js';
import { RunSummaries, type RunSummaryFigures } from '../run-summaries.js';
import type { ViewHome } from '../view-home.js';
import type { ViewPage } from '../view-page.js';

/** How often the list is read: in a bucket each look at a file is a request. */
const refreshMs = 2_000;
const refreshFromBucketMs = 15_000;

/** All runs, the newest first. */
export function runsPage(home: ViewHome): ViewPage {
  const { environment } = home;
  const storage = storageOf(environment);
  const summaries = new RunSummaries((run) => home.folder(run));
  return {
    path: pagePaths.runs,
    load: async () => {
      const manifests = await listRuns(environment.TURNWISE_HOME, storage);
      const isServed = home.knownServices !== undefined;
      const newestFirst = [...manifests].reverse();
      const runs = await Promise.all(
        newestFirst.map(async (manifest) =>
          rowOf(manifest, await summaries.figuresOf(manifest), isServed),
        ),
      );
      const data: RunsData = { home: environment.TURNWISE_HOME, runs };
      return { data, refreshMs: isS3(storage) ? refreshFromBucketMs : refreshMs };
    },
  };
}

function rowOf(
  manifest: RunManifest,
  figures: RunSummaryFigures | null,
  isServed: boolean,
): RunRow {
  const { run, config, dataset, startedAt, endedAt } = manifest;
  const totals = figures?.totals ?? manifest.totals;
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
