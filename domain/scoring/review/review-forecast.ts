import { contentText } from '../../models/chat-message.js';
import { countTokens } from '../../models/tokens.js';
import type { Price } from '../../models/usage.js';
import { mean, sum } from '../../statistics/means.js';
import { reviewedPart, reviewedParts, type ReviewedAnswer } from './panel-state.js';
import type { ReviewConfig } from './review-config.js';
import { reviewMessages } from './review-messages.js';

/** Tokens of a rationale with its decision, as reviewers usually write them. */
export const usualReplyTokens = 300;

export interface ReviewForecast {
  readonly answers: number;
  readonly panels: number;
  /** Of the whole review, each member asked once, with the order check. */
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** US dollars; null if the price of a member is unknown. */
  readonly usd: number | null;
}

/**
 * What a review takes: 3 × (R + M) calls an answer for R reviewers and M meta-reviewers, and M more for each panel of the order
 * check.
 * @param some - some of the answers, at least one: their prompts stand for all
 */
export function reviewForecast(
  { reviewers, metaReviewers, orderCheck }: ReviewConfig,
  answers: number,
  some: readonly ReviewedAnswer[],
): ReviewForecast {
  const [first] = some;
  if (first === undefined) throw new Error('a forecast needs an answer');
  const panels = answers * reviewedParts(first.trace).length;
  const prompt = mean(some.flatMap(promptTokens));
  const metaPrompt = prompt + reviewers.length * usualReplyTokens;
  const calls = [
    ...reviewers.map((model) => ({ model, prompt, calls: panels })),
    ...metaReviewers.map((model) => ({
      model,
      prompt: metaPrompt,
      calls: panels * (1 + orderCheck),
    })),
  ];
  const costs = calls.map((each) => costOf(each.model.price, each.prompt, each.calls));
  return {
    answers,
    panels,
    calls: Math.round(sum(calls.map((each) => each.calls))),
    promptTokens: Math.round(sum(calls.map((each) => each.calls * each.prompt))),
    completionTokens: Math.round(sum(calls.map((each) => each.calls * usualReplyTokens))),
    usd: costs.every((cost) => cost !== null) ? sum(costs) : null,
  };
}

/** Of a reviewer about each part. */
const promptTokens = (answer: ReviewedAnswer): readonly number[] =>
  reviewedParts(answer.trace).map((subTask) =>
    sum(
      reviewMessages(reviewedPart(answer, subTask), null, false).map(({ content }) =>
        countTokens(contentText(content)),
      ),
    ),
  );

const costOf = (price: Price | null, prompt: number, calls: number): number | null =>
  price && (calls * (prompt * price.input + usualReplyTokens * price.output)) / 1e6;
