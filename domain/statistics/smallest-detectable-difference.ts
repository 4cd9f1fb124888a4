import { normalQuantile, upperTail } from './quantiles.js';

/** How often a comparison of this size would notice the difference. */
const power = 0.8;

/**
 * The smallest true difference of means that a paired comparison finds in four of five cases, at 95 % confidence.
 * E. Miller, "Adding error bars to evals", arXiv 2411.00640 (2024), section 5.
 * @param standardError - of the mean difference that was seen
 */
export const smallestDetectableDifference = (standardError: number): number =>
  (normalQuantile(upperTail) + normalQuantile(power)) * standardError;
