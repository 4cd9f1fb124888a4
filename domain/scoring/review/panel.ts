import { v5 as uuid5 } from 'uuid';
import { z } from 'zod';
import { costOfReply, sumOfCosts, usageOf, type PaidCall } from '../../agent/turn-record.js';
import type { HomeId } from '../../home.js';
import { runIdSchema, sampleName, type RunId, type SampleKey } from '../../ids.js';
import { modelConfigSchema, settingsThatShapeReplies } from '../../models/model-settings.js';
import { promptTextsSchema, versionWith } from '../../models/prompt-file.js';
import { addUsage, noUsage, usageSchema } from '../../models/usage.js';
import { countsOf } from '../../statistics/means.js';

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

const unreviewedReasons = ['too-few-reviewers', 'too-few-meta-reviewers', 'tie'] as const;

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
const panelResults = [...decisions, ...unreviewedReasons, 'open'] as const;
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

export const maxSide = 9;

/** Who reviews answers, and how. */
export const reviewConfigSchema = z.object({
  /** A model may be named several times: each place replies for itself. */
  reviewers: z.array(modelConfigSchema).min(1).max(maxSide).readonly(),
  metaReviewers: z.array(modelConfigSchema).min(1).max(maxSide).readonly(),
  /** Calls of a member about one panel, before it counts as missing. */
  tries: z.int().min(1).max(10),
  /** Decides the order in which each meta-reviewer sees the reviews, and which panels are part of the order check. */
  seed: z.int().nonnegative(),
  /** The share of the panels that are asked again with the reviews in reverse order. */
  orderCheck: z.number().min(0).max(1),
  /** Texts in the place of ours (`reviewTexts`). @defaultValue none */
  prompts: promptTextsSchema.optional(),
});
export type ReviewConfig = Readonly<z.infer<typeof reviewConfigSchema>>;

/** The temperature is the paper's (§4.2.2). It names no number of members; three is the smallest odd one that its Table 4 allows. */
export const defaultReview = {
  size: 3,
  tries: 3,
  seed: 1,
  orderCheck: 0.1,
  temperature: 0.7,
  topP: 0.95,
  maxTokens: 1500,
} as const;

/** Recorded in every review. To be raised with every change of the prompts or of how replies are read. */
export const reviewPromptVersion = '2';

export const reviewIdSchema = z
  .string()
  .regex(/^[0-9a-f]{16}$/)
  .brand<'ReviewId'>();
export type ReviewId = z.infer<typeof reviewIdSchema>;

/** The UUID namespace of hashes: an arbitrary constant. */
const namespace = '5a0c9d1e-64b7-4f0e-8f39-b1d7c2e64a10';

/** 32 hexadecimal digits. */
export const hashOf = (...parts: readonly unknown[]): string =>
  uuid5(JSON.stringify(parts), namespace).replaceAll('-', '');

/** A hash of all that decides the decisions: another configuration is another review of the run. */
export function reviewIdOf({ reviewers, metaReviewers, ...others }: ReviewConfig): ReviewId {
  const { tries, seed, orderCheck, prompts } = others;
  const sides = [reviewers, metaReviewers].map((side) => side.map(settingsThatShapeReplies));
  return reviewIdSchema.parse(
    hashOf(versionWith(reviewPromptVersion, prompts), ...sides, tries, seed, orderCheck).slice(
      0,
      16,
    ),
  );
}

export const reviewWorkflowId = (home: HomeId, run: RunId, review: ReviewId): string =>
  `${home}/review/${run}/${review}`;

/** Paths in the run's folder. */
export const reviewFolder = (review: ReviewId): string => `reviews/${review}`;
export const reviewFile = (review: ReviewId): string => `${reviewFolder(review)}/review.json`;

/** The folder of the replies of a panel's members. */
export const panelFolder = (review: ReviewId, key: SampleKey, subTask: SubTask): string =>
  `${reviewFolder(review)}/replies/${sampleName(key)}/${subTask}`;

/** What a review came to, as far as it is. */
const reviewTotalsSchema = z.object({
  /** How many panels stand how. */
  panels: z.partialRecord(z.enum(panelResults), z.int().nonnegative()),
  /** Panels about an empty plan or about no queries, of answers without interaction in mode `iterative`. */
  withoutInteraction: z.int().nonnegative(),
  /** Of all replies, those of the order check and those that could not be read among them. */
  usage: usageSchema,
  /** US dollars; null if a price is unknown. */
  costUsd: z.number().nonnegative().nullable(),
});
type ReviewTotals = Readonly<z.infer<typeof reviewTotalsSchema>>;

/** `reviews/<id>/review.json`. */
export const reviewRecordSchema = z.object({
  run: runIdSchema,
  review: reviewIdSchema,
  /** `reviewPromptVersion`. */
  prompts: z.string(),
  config: reviewConfigSchema,
  /** Null before the review has begun. */
  totals: reviewTotalsSchema.nullable(),
});
export type ReviewRecord = Readonly<z.infer<typeof reviewRecordSchema>>;

/** A panel with what it took. */
interface PaidPanel {
  readonly panel: ReviewedPanel;
  readonly replies: readonly PaidCall[];
  /** Whether the answer came about without a plan and without a query. */
  readonly isEmpty: boolean;
}

export function reviewTotals(panels: readonly PaidPanel[]): ReviewTotals {
  const replies = panels.flatMap((each) => each.replies);
  return {
    panels: Object.fromEntries(countsOf(panels.map(({ panel }) => panelResult(panel)))),
    withoutInteraction: panels.filter(({ panel, isEmpty }) => isEmpty && panel.subTask !== 'IS')
      .length,
    usage: replies.map(usageOf).reduce(addUsage, noUsage),
    costUsd: sumOfCosts(replies.map(costOfReply)),
  };
}
