import { z } from 'zod';

/** Tokens as the provider counted them; `retries` counts attempts that were refused or lost. */
export const usageSchema = z.object({
  promptTokens: z.int().nonnegative(),
  completionTokens: z.int().nonnegative(),
  cachedTokens: z.int().nonnegative(),
  calls: z.int().nonnegative(),
  retries: z.int().nonnegative(),
});
export type Usage = Readonly<z.infer<typeof usageSchema>>;

export const noUsage: Usage = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  calls: 0,
  retries: 0,
};

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    calls: a.calls + b.calls,
    retries: a.retries + b.retries,
  };
}
