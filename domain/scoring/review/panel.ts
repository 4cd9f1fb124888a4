import { z } from 'zod';

/** The parts of an answer that are reviewed apart: interaction planning, tool employment, information synthesis. */
export const subTasks = ['IP', 'TE', 'IS'] as const;
export type SubTask = (typeof subTasks)[number];

export const decisions = ['perfect', 'imperfect'] as const;
export type Decision = (typeof decisions)[number];

/** The decisions about one sub-task of one answer. Null for a member whose replies stayed unreadable or whose calls failed. */
export const panelSchema = z.object({
  reviewers: z.array(z.enum(decisions).nullable()).readonly(),
  metaReviewers: z.array(z.enum(decisions).nullable()).readonly(),
});
export type Panel = Readonly<z.infer<typeof panelSchema>>;

export const unreviewedReasons = ['too-few-reviewers', 'too-few-meta-reviewers', 'tie'] as const;

export type PanelOutcome =
  | { readonly kind: Decision }
  | { readonly kind: 'unreviewed'; readonly reason: (typeof unreviewedReasons)[number] };

/** A member of a panel: the model's name as the provider returned it, its decision and its reasons. */
const memberSchema = z.object({
  model: z.string(),
  decision: z.enum(decisions).nullable(),
  rationale: z.string(),
  /** Why a member that was asked has no decision. Absent otherwise. */
  missing: z.string().optional(),
});

/** A line of `reviews/<id>/panels.jsonl` in the run's folder. */
export const reviewedPanelSchema = z.object({
  uuid: z.string(),
  epoch: z.int().min(1),
  subTask: z.enum(subTasks),
  reviewers: z.array(memberSchema).readonly(),
  metaReviewers: z.array(memberSchema).readonly(),
  /** The meta-reviewers' decisions when they saw the reviews in reverse order. Absent if the panel is not part of the order check. */
  reversed: z.array(z.enum(decisions).nullable()).readonly().optional(),
  /** Calls of the panel failed or were not made yet: the review goes on with them. Absent otherwise. */
  open: z.literal(true).optional(),
});
export type ReviewedPanel = Readonly<z.infer<typeof reviewedPanelSchema>>;

/** How a panel stands. `open`: its calls failed, or were not made yet. */
export const panelResults = [...decisions, ...unreviewedReasons, 'open'] as const;
export type PanelResult = (typeof panelResults)[number];

export function panelResult(panel: ReviewedPanel): PanelResult {
  if (panel.open) return 'open';
  const outcome = panelOutcome({
    reviewers: panel.reviewers.map(({ decision }) => decision),
    metaReviewers: panel.metaReviewers.map(({ decision }) => decision),
  });
  return outcome.kind === 'unreviewed' ? outcome.reason : outcome.kind;
}

/** More than half of a side's members must have decided. */
const isComplete = (side: readonly (Decision | null)[]): boolean =>
  side.filter((decision) => decision !== null).length * 2 > side.length;

/** Whether enough reviewers decided for the meta-reviewers to be asked. */
export const isReviewed = ({ reviewers }: Pick<Panel, 'reviewers'>): boolean =>
  isComplete(reviewers);

/** The majority of the meta-reviewers, as the paper has it (§4.2.2). */
export function panelOutcome({ reviewers, metaReviewers }: Panel): PanelOutcome {
  if (!isComplete(reviewers)) return { kind: 'unreviewed', reason: 'too-few-reviewers' };
  if (!isComplete(metaReviewers)) return { kind: 'unreviewed', reason: 'too-few-meta-reviewers' };
  const perfect = metaReviewers.filter((decision) => decision === 'perfect').length;
  const imperfect = metaReviewers.filter((decision) => decision === 'imperfect').length;
  if (perfect === imperfect) return { kind: 'unreviewed', reason: 'tie' };
  return { kind: perfect > imperfect ? 'perfect' : 'imperfect' };
}
