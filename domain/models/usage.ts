import { z } from 'zod';

/** What calls cost, as far as that is known. */
export const costSchema = z.object({
  /** US dollars, of the questions all of whose calls have a price. */
  usd: z.number().nonnegative(),
  /** Calls of the other questions. */
  unpricedCalls: z.int().nonnegative(),
});
export type Cost = Readonly<z.infer<typeof costSchema>>;

export const noCost: Cost = { usd: 0, unpricedCalls: 0 };

export const addCost = (a: Cost, b: Cost): Cost => ({
  usd: a.usd + b.usd,
  unpricedCalls: a.unpricedCalls + b.unpricedCalls,
});

/** Takes out of a sum what was added to it. */
export const subtractCost = (sum: Cost, part: Cost): Cost => ({
  usd: Math.max(0, sum.usd - part.usd),
  unpricedCalls: sum.unpricedCalls - part.unpricedCalls,
});

/** A question's part in a total. */
export const costOfQuestion = (costUsd: number | null, calls: number): Cost =>
  costUsd === null ? { usd: 0, unpricedCalls: calls } : { usd: costUsd, unpricedCalls: 0 };

/** `$1.23`, `$0.0004`, `cost unknown`, or `$1.23 and 7 calls of unknown price`: what is not known is never $0. */
export function costText({ usd, unpricedCalls }: Cost): string {
  if (unpricedCalls === 0) return dollars(usd);
  if (usd === 0) return 'cost unknown';
  return `${dollars(usd)} and ${unpricedCalls} calls of unknown price`;
}

/** Two digits after the point, and below ten cents as many as show two that count. */
export function dollars(usd: number): string {
  const digits = usd === 0 ? 2 : Math.max(2, 1 - Math.floor(Math.log10(usd)));
  return `$${usd.toFixed(Math.min(10, digits))}`;
}

const perMillion = z.number().nonnegative();

/** US dollars per million tokens. */
export const priceSchema = z.strictObject({
  input: perMillion,
  output: perMillion,
  /** Of prompt tokens the provider had cached; where it is absent they cost what others do. */
  cachedInput: perMillion.optional(),
});
export type Price = Readonly<z.infer<typeof priceSchema>>;

export const priceTableSchema = z.record(z.string().min(1), priceSchema);
export type PriceTable = Readonly<z.infer<typeof priceTableSchema>>;

/** Tokens of one call: `cached` are part of `prompt`, reasoning tokens of `completion`. */
export interface PricedTokens {
  readonly prompt: number;
  readonly completion: number;
  readonly cached: number;
}

/** What a call cost in US dollars; null where its price or its tokens are not known. */
export function costOfCall(tokens: PricedTokens | null, price: Price | null): number | null {
  if (tokens === null || price === null) return null;
  const { input, output, cachedInput = input } = price;
  const cached = Math.min(tokens.cached, tokens.prompt);
  return (
    ((tokens.prompt - cached) * input + cached * cachedInput + tokens.completion * output) / 1e6
  );
}

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
