import { v5 as uuid5 } from 'uuid';
import { z } from 'zod';
import type { HomeId } from '../../home.js';
import type { RunId } from '../../ids.js';
import { promptTextsSchema, versionWith } from '../../models/prompt-file.js';
import { modelConfigSchema, settingsThatShapeReplies } from '../../models/model-settings.js';

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
