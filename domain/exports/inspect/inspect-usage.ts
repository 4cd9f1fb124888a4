import type { ReplyRecord } from '../../questions/turn-record.js';
import type { Usage } from '../../usage.js';
import type { InspectObject } from './inspect-object.js';

interface Counts {
  readonly prompt: number;
  readonly completion: number;
  readonly cached: number;
  readonly reasoning: number;
}

/** Tokens of one reply; undefined where its provider reports none. */
export const replyUsage = ({ tokens, costUsd }: ReplyRecord): InspectObject | undefined =>
  tokens === null ? undefined : usageOf(tokens, costUsd);

/** @param costUsd - null where it is not known */
export const inspectUsage = (usage: Usage, costUsd: number | null): InspectObject =>
  usageOf(
    {
      prompt: usage.promptTokens,
      completion: usage.completionTokens,
      cached: usage.cachedTokens,
      reasoning: usage.reasoningTokens,
    },
    costUsd,
  );

/** Inspect counts cached tokens beside the input, where providers count them in. */
const usageOf = (
  { prompt, completion, cached, reasoning }: Counts,
  costUsd: number | null,
): InspectObject => ({
  input_tokens: Math.max(0, prompt - cached),
  output_tokens: completion,
  total_tokens: prompt + completion,
  input_tokens_cache_read: cached,
  reasoning_tokens: reasoning,
  total_cost: costUsd ?? undefined,
});
