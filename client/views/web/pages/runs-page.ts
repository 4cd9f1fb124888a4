import { basename } from 'node:path';
import { costText, addCost, noCost } from '../../../../domain/models/usage.js';
import { type RunCondition, conditionOfAll } from '../../../../domain/runs/run-progress.js';
import { type RunManifest, notesAbout, tagsOf } from '../../../../domain/runs/run-manifest.js';
import {
  endedCount,
  outsideFailures,
  scoreMeans,
  type RunTotals,
} from '../../../../domain/runs/run-totals.js';
import { scaleLabels } from '../../../../domain/scoring/verdict.js';
import {
  rulingsText,
  type Headline,
  headlinesOf,
} from '../../../../domain/scoring/score-ledger.js';
import { isS3, storageOf, type Environment } from '../../../../domain/settings.js';
import { listRuns, samplesOf, type RunFolder } from '../../../runs/run-folder.js';
import { openStorePlace } from '../../../../storage/stores/store-place.js';
import { inWords } from '../../../runs/stores/store-files.js';
import type {
  RunRow,
  RunsData,
  ShownScore,
  EvaluationData,
  EvaluationRow,
  EvaluationsData,
} from '../page-data.js';
import { pagePaths } from '../../page/page-paths.js';
import { figuresVersion, type ViewHome } from '../view-home.js';
import { viewPage, type PathParameters, type ViewPage } from '../view-page.js';
import { groupBy, sum } from '../../../../domain/statistics/means.js';
import { type RunId, evaluationNameSchema, type EvaluationName } from '../../../../domain/ids.js';
import { runFigures } from '../../../../domain/runs/run-figures.js';
import { isToldByTotals } from '../../../runs/latest-results.js';
import { answersIn, readRun } from '../../../runs/scoring/run-scores.js';
import { compareCells } from '../../../../domain/evaluations/evaluation.js';
import { UserError } from '../../../../domain/user-error.js';
import { comparedRun } from '../../../runs/scoring/compared-runs.js';
import { sectionsMarkup } from '../../page/section-markup.js';
import { evaluationSections } from '../../sections/evaluation.js';
import { setTimeout as sleep } from 'node:timers/promises';

/** How often lists are read: in a bucket each look at a file is a request. */
export const refreshMsOf = (environment: Environment): number =>
  isS3(storageOf(environment)) ? 15_000 : 2_000;

interface ListedRun {
  readonly manifest: RunManifest;
  /** Null until they are known. */
  readonly totals: RunTotals | null;
  readonly row: RunRow;
}

/** The runs that are wanted, the newest first. */
type ReadRuns = (isWanted: (manifest: RunManifest) => boolean) => Promise<readonly ListedRun[]>;

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
export const runsPage = ({ environment }: ViewHome, readRuns: ReadRuns): ViewPage =>
  viewPage<RunsData>(
    pagePaths.runs,
    async () => ({
      home: environment.TURNWISE_HOME,
      runs: (await readRuns(() => true)).map(({ row }) => row),
      stores: await inWords(() => openStorePlace(environment).generations.stores()),
    }),
    refreshMsOf(environment),
  );

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

/** What is computed from all results of a run. */
interface RunSummaryFigures {
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
class RunSummaries {
  readonly #known = new Map<RunId, Known>();
  readonly #wanted = new Map<RunId, () => Promise<void>>();
  #working: Promise<void> | null = null;

  constructor(private readonly folderOf: (run: RunId) => RunFolder) {}

  /** Null where they are not known yet, or never: a run of thousands of questions is not read whole. */
  async figuresOf(manifest: RunManifest): Promise<RunSummaryFigures | null> {
    const { run, status } = manifest;
    const folder = this.folderOf(run);
    if (await isToldByTotals(folder, manifest)) return null;
    const version = await figuresVersion(folder, status);
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

/** All evaluations, the newest first, and one with the runs of its cells and their comparison. */
export function evaluationPages(home: ViewHome, readRuns: ReadRuns): readonly ViewPage[] {
  const refreshMs = refreshMsOf(home.environment);
  const sectionsOf = keptSections(home);
  return [
    viewPage<EvaluationsData>(
      pagePaths.evaluations,
      async () => {
        const runs = await readRuns(({ evaluation }) => evaluation !== undefined);
        const byName = groupBy(runs, ({ manifest }) => manifest.evaluation?.name ?? '');
        return {
          home: home.environment.TURNWISE_HOME,
          evaluations: [...byName].map(([name, own]) => evaluationRow(name, own)),
        };
      },
      refreshMs,
    ),
    viewPage<EvaluationData>(
      pagePaths.evaluation,
      async (parameters) => {
        const name = evaluationIn(parameters);
        const runs = (await readRuns(({ evaluation }) => evaluation?.name === name)).toReversed();
        if (runs.length === 0) throw noEvaluation(name);
        return {
          ...evaluationRow(name, runs),
          rows: runs.map(({ row }) => row),
          sections: await sectionsOf(name, runs),
        };
      },
      refreshMs,
    ),
  ];
}

function evaluationRow(evaluation: string, runs: readonly ListedRun[]): EvaluationRow {
  const rows = runs.map(({ row }) => row);
  const costs = runs.map(({ totals }) => totals?.cost ?? null);
  const cost = costs.includes(null)
    ? null
    : costs.map((each) => each ?? noCost).reduce(addCost, noCost);
  return {
    evaluation,
    state: conditionOfAll(rows.map(({ state }) => state)),
    runs: rows.length,
    ended: sum(rows.map(({ ended }) => ended ?? 0)),
    samples: sum(rows.map(({ samples }) => samples)),
    failed: sum(rows.map(({ failed }) => failed)),
    costUsd: cost && cost.usd,
    cost: cost === null ? '–' : costText(cost),
    startedAt: rows.map(({ startedAt }) => startedAt).sort()[0] ?? '',
  };
}

/** The comparison as HTML. It is made again when a question of one of the runs has ended. */
function keptSections(
  home: ViewHome,
): (name: EvaluationName, runs: readonly ListedRun[]) => Promise<string> {
  const kept = new Map<
    EvaluationName,
    { readonly version: string; readonly sections: Promise<string> }
  >();
  const make = async (runs: readonly ListedRun[]): Promise<string> => {
    const cells = runs.map(async ({ manifest: { run, config, evaluation } }) => ({
      cell: {
        run,
        dataset: { label: evaluation?.dataset ?? '' },
        method: config.method,
        model: { label: evaluation?.model ?? config.model.name },
      },
      compared: await comparedRun(home.folder(run)),
    }));
    return sectionsMarkup(evaluationSections(compareCells(await Promise.all(cells)), [])).text;
  };
  return (name, runs) => {
    const version = JSON.stringify(runs.map(({ row }) => row));
    const known = kept.get(name);
    if (known?.version === version) return known.sections;
    const sections = make(runs);
    kept.set(name, { version, sections });
    // What could not be read this time is read again.
    sections.catch(() => {
      if (kept.get(name)?.sections === sections) kept.delete(name);
    });
    return sections;
  };
}

function evaluationIn({ evaluation = '' }: PathParameters): EvaluationName {
  const { data } = evaluationNameSchema.safeParse(evaluation);
  if (data !== undefined) return data;
  throw noEvaluation(evaluation);
}

const noEvaluation = (name: string): UserError => new UserError(`there is no evaluation ${name}`);
