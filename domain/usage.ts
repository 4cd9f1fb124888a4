import { z } from 'zod';

/**
 * What a question's calls of models, and of tools that cost something, used, as the provider counted it. A reply from the cache adds to `cacheHits` and to nothing
 * else; `retries` counts attempts that were refused or lost.
 */
export const usageSchema = z.object({
  promptTokens: z.int().nonnegative(),
  completionTokens: z.int().nonnegative(),
  /** Part of `promptTokens`. */
  cachedTokens: z.int().nonnegative(),
  /** Part of `completionTokens`. */
  reasoningTokens: z.int().nonnegative().default(0),
  calls: z.int().nonnegative(),
  retries: z.int().nonnegative(),
  cacheHits: z.int().nonnegative().default(0),
});
export type Usage = Readonly<z.infer<typeof usageSchema>>;
/** As workflows that began before a count was added still carry it. */
export type CarriedUsage = Readonly<z.input<typeof usageSchema>>;

export const noUsage: Usage = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  reasoningTokens: 0,
  calls: 0,
  retries: 0,
  cacheHits: 0,
};

export function addUsage(a: CarriedUsage, b: CarriedUsage): Usage {
  return {
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    reasoningTokens: (a.reasoningTokens ?? 0) + (b.reasoningTokens ?? 0),
    calls: a.calls + b.calls,
    retries: a.retries + b.retries,
    cacheHits: (a.cacheHits ?? 0) + (b.cacheHits ?? 0),
  };
}

export const subtractUsage = (a: CarriedUsage, b: CarriedUsage): Usage =>
  addUsage(a, {
    promptTokens: -b.promptTokens,
    completionTokens: -b.completionTokens,
    cachedTokens: -b.cachedTokens,
    reasoningTokens: -(b.reasoningTokens ?? 0),
    calls: -b.calls,
    retries: -b.retries,
    cacheHits: -(b.cacheHits ?? 0),
  });
