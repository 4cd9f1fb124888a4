import { conditionOfAll } from '../../../../domain/runs/run-progress.js';
import { compareCells } from '../../../../domain/evaluations/evaluation.js';
import { evaluationNameSchema, type EvaluationName } from '../../../../domain/ids.js';
import { addCost, costText, noCost } from '../../../../domain/models/usage.js';
import { sum } from '../../../../domain/statistics/means.js';
import { UserError } from '../../../../domain/user-error.js';
import { comparedRun } from '../../../runs/scoring/compared-runs.js';
import { sectionsMarkup } from '../../page/section-markup.js';
import { evaluationSections } from '../../sections/evaluation.js';
import type { EvaluationData, EvaluationRow, EvaluationsData } from '../page-data.js';
import { pagePaths } from '../../page/page-paths.js';
import type { ViewHome } from '../view-home.js';
import type { PathParameters, ViewPage } from '../view-page.js';
import { refreshMsOf, type ListedRun, type ReadRuns } from './runs-page.js';

/** All evaluations, the newest first, and one with the runs of its cells and their comparison. */
export function evaluationPages(home: ViewHome, readRuns: ReadRuns): readonly ViewPage[] {
  const refreshMs = refreshMsOf(home.environment);
  const sectionsOf = keptSections(home);
  return [
    {
      path: pagePaths.evaluations,
      load: async () => {
        const byName = new Map<string, ListedRun[]>();
        for (const run of await readRuns(({ evaluation }) => evaluation !== undefined)) {
          const name = run.manifest.evaluation?.name ?? '';
          byName.set(name, [...(byName.get(name) ?? []), run]);
        }
        const data: EvaluationsData = {
          home: home.environment.TURNWISE_HOME,
          evaluations: [...byName].map(([name, runs]) => rowOf(name, runs)),
        };
        return { data, refreshMs };
      },
    },
    {
      path: pagePaths.evaluation,
      load: async (parameters) => {
        const name = evaluationIn(parameters);
        const runs = (await readRuns(({ evaluation }) => evaluation?.name === name)).toReversed();
        if (runs.length === 0) throw noEvaluation(name);
        const data: EvaluationData = {
          ...rowOf(name, runs),
          rows: runs.map(({ row }) => row),
          sections: await sectionsOf(name, runs),
        };
        return { data, refreshMs };
      },
    },
  ];
}

function rowOf(evaluation: string, runs: readonly ListedRun[]): EvaluationRow {
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
