import { z } from 'zod';
import { costOfReply, sumOfCosts, usageOf, type PaidCall } from '../../agent/turn-record.js';
import { runIdSchema, sampleName, type SampleKey } from '../../ids.js';
import { addUsage, noUsage, usageSchema } from '../../models/usage.js';
import { countsOf } from '../../statistics/means.js';
import { panelResults, panelResult, type ReviewedPanel, type SubTask } from './panel.js';
import { reviewConfigSchema, reviewIdSchema, type ReviewId } from './review-config.js';

/** Paths in the run's folder. */
export const reviewFolder = (review: ReviewId): string => `reviews/${review}`;
export const reviewFile = (review: ReviewId): string => `${reviewFolder(review)}/review.json`;

/** The folder of the replies of a panel's members. */
export const panelFolder = (review: ReviewId, key: SampleKey, subTask: SubTask): string =>
  `${reviewFolder(review)}/replies/${sampleName(key)}/${subTask}`;

/** What a review came to, as far as it is. */
export const reviewTotalsSchema = z.object({
  /** How many panels stand how. */
  panels: z.partialRecord(z.enum(panelResults), z.int().nonnegative()),
  /** Panels about an empty plan or about no queries, of answers without interaction in mode `iterative`. */
  withoutInteraction: z.int().nonnegative(),
  /** Of all replies, those of the order check and those that could not be read among them. */
  usage: usageSchema,
  /** US dollars; null if a price is unknown. */
  costUsd: z.number().nonnegative().nullable(),
});
export type ReviewTotals = Readonly<z.infer<typeof reviewTotalsSchema>>;

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
export interface PaidPanel {
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
