import {
  panelResult,
  subTasks,
  type Decision,
  type PanelResult,
  type ReviewedPanel,
  type SubTask,
} from './panel.js';
import type { ReviewConfig } from './review-config.js';
import {
  panelFigures,
  type PanelFigures,
  type Side,
  ownModelIn,
  panelWorth,
  studied,
  type PanelWorth,
  type StudiedPanel,
} from './panel-worth.js';
import {
  compareWithLabels,
  majorityLabel,
  type LabelComparison,
  type ReviewLabel,
} from './review-labels.js';

/** The panels about one sub-task. */
export interface SubTaskReport {
  readonly subTask: SubTask;
  readonly panels: number;
  /** Panels whose calls failed or were not made. They are in no figure. */
  readonly open: number;
  readonly figures: PanelFigures;
  /** Whether the panels mean more than their number of members suggests (docs/how-to/peer-review.md). */
  readonly worth: PanelWorth;
}

export interface ReviewReport {
  /** Without sub-tasks that have no panels. */
  readonly subTasks: readonly SubTaskReport[];
  /** Whether the model that answered is among the members. */
  readonly ownModel: { readonly model: string } & { readonly [S in Side]: boolean };
  /** Null without labels. */
  readonly against: readonly LabelComparison[] | null;
}

/** @param databaseOf - names the database of a question: what clusters are */
export function reviewReport(
  panels: readonly ReviewedPanel[],
  { model, config }: AnsweringModel,
  labels: readonly ReviewLabel[] | null,
  databaseOf: (uuid: string) => string | undefined = () => undefined,
): ReviewReport {
  const labelOf = majorityLabel(labels ?? []);
  const reports = subTasks.map((subTask): SubTaskReport => {
    const own = panels.filter((panel) => panel.subTask === subTask);
    const settled = own.filter((panel) => isSettled(panelResult(panel)));
    const label = new Map<StudiedPanel, Decision | null>(
      settled.map((panel) => [
        { ...studied(panel), database: databaseOf(panel.uuid) },
        labelOf(panel),
      ]),
    );
    return {
      subTask,
      panels: own.length,
      open: own.length - settled.length,
      figures: panelFigures([...label.keys()]),
      worth: panelWorth([...label.keys()], (panel) => label.get(panel) ?? null),
    };
  });
  return {
    subTasks: reports.filter((report) => report.panels > 0),
    ownModel: { model: model.configured, ...ownSides(panels, { model, config }) },
    against: labels && compareWithLabels(panels, labels),
  };
}

/** The model that gave the answers, by both its names, beside the configuration of the review. */
export interface AnsweringModel {
  readonly model: { readonly configured: string; readonly returned: string };
  readonly config: ReviewConfig;
}

function ownSides(
  panels: readonly ReviewedPanel[],
  { model, config }: AnsweringModel,
): { readonly [S in Side]: boolean } {
  const returned = ownModelIn(panels.map(studied), model.returned);
  const isNamed = (side: Side): boolean =>
    returned[side] || config[side].some(({ name }) => name === model.configured);
  return { reviewers: isNamed('reviewers'), metaReviewers: isNamed('metaReviewers') };
}

const isSettled = (result: PanelResult): boolean => result !== 'open';
