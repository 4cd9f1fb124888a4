import { z } from 'zod';
import { cohensKappa, kappaInterval } from '../../statistics/agreement.js';
import { wilsonInterval } from '../../statistics/intervals.js';
import { countsOf, groupsOf, type Interval } from '../../statistics/means.js';
import { readSampleLines } from '../predictions.js';
import {
  panelResult,
  subTasks,
  decisions,
  type Decision,
  type PanelResult,
  type ReviewedPanel,
  type SubTask,
  type ReviewConfig,
} from './panel.js';
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

/** A line of a file of labels: what a person decided about one part of one answer. */
const reviewLabelSchema = z.looseObject({
  uuid: z.string().min(1),
  epoch: z.int().min(1).default(1),
  subTask: z.enum(subTasks),
  label: z.enum(decisions),
  /** Who decided. Labels of different people are compared apart. */
  annotator: z.string().optional(),
});
export type ReviewLabel = Readonly<z.infer<typeof reviewLabelSchema>>;

/** A part of an answer. */
export type PartKey = Pick<ReviewedPanel, 'uuid' | 'epoch' | 'subTask'>;
const partText = ({ uuid, epoch, subTask }: PartKey): string => `${uuid} ${epoch} ${subTask}`;

/** @param parts - those that may have labels */
export function readReviewLabels(
  text: string,
  parts: readonly PartKey[],
): { readonly labels: readonly ReviewLabel[]; readonly problems: readonly string[] } {
  const known = new Set(parts.map(partText));
  const { lines, problems } = readSampleLines(text, reviewLabelSchema, {
    name: 'labels',
    nameOf: ({ annotator, ...part }) =>
      `the label of ${partText(part)}${annotator === undefined ? '' : ` by ${annotator}`}`,
    problemOf: (label) =>
      known.has(partText(label))
        ? null
        : `there is no answer to ${label.uuid} in epoch ${label.epoch} whose ${label.subTask} is reviewed`,
  });
  return { labels: lines.map(({ value }) => value), problems };
}

/** The outcomes of panels beside the labels of one person. */
export interface LabelComparison {
  /** Null where the labels name nobody. */
  readonly annotator: string | null;
  /** Labels of panels with an outcome. */
  readonly compared: number;
  /** Labels of panels without one. */
  readonly unreviewed: number;
  readonly agreement: number | null;
  readonly agreementInterval: Interval | null;
  /** Cohen's kappa; null if it is undefined. */
  readonly kappa: number | null;
  readonly kappaInterval: Interval | null;
  readonly differ: readonly (PartKey & { readonly outcome: Decision; readonly label: Decision })[];
}

/** One for each annotator, in the order of the labels. */
export function compareWithLabels(
  panels: readonly ReviewedPanel[],
  labels: readonly ReviewLabel[],
): readonly LabelComparison[] {
  const outcomes = new Map(panels.map((panel) => [partText(panel), outcomeOf(panel)]));
  return [...new Set(labels.map(({ annotator }) => annotator))].map((annotator) => {
    const own = labels.filter((label) => label.annotator === annotator);
    const compared = own.flatMap(({ uuid, epoch, subTask, label }) => {
      const outcome = outcomes.get(partText({ uuid, epoch, subTask })) ?? null;
      return outcome === null ? [] : [{ uuid, epoch, subTask, outcome, label }];
    });
    const pairs = compared.map(({ outcome, label }) => [outcome, label] as const);
    const equal = pairs.filter(([outcome, label]) => outcome === label).length;
    return {
      annotator: annotator ?? null,
      compared: compared.length,
      unreviewed: own.length - compared.length,
      agreement: pairs.length === 0 ? null : equal / pairs.length,
      agreementInterval: pairs.length === 0 ? null : wilsonInterval(equal, pairs.length),
      kappa: cohensKappa(pairs),
      kappaInterval: kappaInterval(pairs),
      differ: compared.filter(({ outcome, label }) => outcome !== label),
    };
  });
}

function outcomeOf(panel: ReviewedPanel): Decision | null {
  const result = panelResult(panel);
  return result === 'perfect' || result === 'imperfect' ? result : null;
}

/** What most annotators say of a part of an answer; null for a tie and without labels. */
export function majorityLabel(labels: readonly ReviewLabel[]): (part: PartKey) => Decision | null {
  const byPart = groupsOf(labels, partText);
  return (part) => {
    const counts = countsOf((byPart.get(partText(part)) ?? []).map(({ label }) => label));
    const [perfect, imperfect] = decisions.map((decision) => counts.get(decision) ?? 0);
    if (perfect === undefined || imperfect === undefined || perfect === imperfect) return null;
    return perfect > imperfect ? 'perfect' : 'imperfect';
  };
}
