import { z } from 'zod';
import type { ModelReply } from '../../activities/ports/model.js';

const count = z.int().nonnegative();
const maybe = count.nullish().catch(null);

/** The token counts of a completion. Only the first two are common to all servers. */
export const usageReportSchema = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: maybe,
  prompt_tokens_details: z.object({ cached_tokens: maybe }).nullish().catch(null),
  completion_tokens_details: z.object({ reasoning_tokens: maybe }).nullish().catch(null),
  /** DeepSeek. */
  prompt_cache_hit_tokens: maybe,
  /** Moonshot. */
  cached_tokens: maybe,
});

/**
 * Tokens as they are paid for. xAI and Gemini leave hidden reasoning out of the completion's tokens and bill it all the
 * same: what the total holds beyond prompt and completion is counted to the completion.
 */
export function tokensOf(
  usage: z.infer<typeof usageReportSchema>,
): NonNullable<ModelReply['tokens']> {
  const { prompt_tokens: prompt, completion_tokens: completion } = usage;
  const unnamed = Math.max(0, (usage.total_tokens ?? 0) - prompt - completion);
  const reasoning = usage.completion_tokens_details?.reasoning_tokens ?? unnamed;
  return {
    prompt,
    completion: completion + unnamed,
    cached:
      usage.prompt_tokens_details?.cached_tokens ??
      usage.prompt_cache_hit_tokens ??
      usage.cached_tokens ??
      0,
    reasoning,
  };
}
