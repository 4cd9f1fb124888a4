import { z } from 'zod';
import { percent } from '../formats/text.js';

/** The known cost of calls. */
export const costSchema = z.object({
  /** US dollars, for questions whose calls all have a price. */
  usd: z.number().nonnegative(),
  /** Number of calls of the other questions. */
  unpricedCalls: z.int().nonnegative(),
});
export type Cost = Readonly<z.infer<typeof costSchema>>;

export const noCost: Cost = { usd: 0, unpricedCalls: 0 };

export const addCost = (a: Cost, b: Cost): Cost => ({
  usd: a.usd + b.usd,
  unpricedCalls: a.unpricedCalls + b.unpricedCalls,
});

/** Subtracts a part that was added to the sum before. */
export const subtractCost = (sum: Cost, part: Cost): Cost => ({
  usd: Math.max(0, sum.usd - part.usd),
  unpricedCalls: sum.unpricedCalls - part.unpricedCalls,
});

/** The contribution of one question to a total. */
export const costOfQuestion = (costUsd: number | null, calls: number): Cost =>
  costUsd === null ? { usd: 0, unpricedCalls: calls } : { usd: costUsd, unpricedCalls: 0 };

/** `$1.23`, `$0.0004`, `cost unknown`, or `$1.23 and 7 calls of unknown price`. An unknown cost is never shown as $0. */
export function costText({ usd, unpricedCalls }: Cost): string {
  if (unpricedCalls === 0) return dollars(usd);
  if (usd === 0) return 'cost unknown';
  return `${dollars(usd)} and ${unpricedCalls} calls of unknown price`;
}

/** Two decimals; below ten cents, two significant digits. */
export function dollars(usd: number): string {
  const digits = usd === 0 ? 2 : Math.max(2, 1 - Math.floor(Math.log10(usd)));
  return `$${usd.toFixed(Math.min(10, digits))}`;
}

const perMillion = z.number().nonnegative();

/** US dollars per million tokens. */
export const priceSchema = z.strictObject({
  input: perMillion,
  output: perMillion,
  /** Price of prompt tokens from the provider's cache. @defaultValue `input` */
  cachedInput: perMillion.optional(),
  /** Price of prompt tokens that are written to the provider's cache for five minutes. @defaultValue `input` */
  cacheWrite: perMillion.optional(),
  /** The same for an hour. @defaultValue `cacheWrite` */
  cacheWriteHour: perMillion.optional(),
});
export type Price = Readonly<z.infer<typeof priceSchema>>;

/** What a call in a batch costs of what it costs alone, with OpenAI, Anthropic and Gemini. */
export const batchShare = 0.5;

export const timesPrice = (price: Price, factor: number): Price =>
  // Each field is a price.
  Object.fromEntries(
    Object.entries(price).map(([what, usd = 0]) => [what, usd * factor]),
  ) as unknown as Price;

export const priceTableSchema = z.record(z.string().min(1), priceSchema);
export type PriceTable = Readonly<z.infer<typeof priceTableSchema>>;

const tokenCount = z.int().nonnegative();

/** Tokens of one call, as the provider bills them. */
export const callTokensSchema = z.object({
  prompt: tokenCount,
  /** Hidden reasoning included. */
  completion: tokenCount,
  /** Part of `prompt`: read from the provider's cache. */
  cached: tokenCount,
  /** Part of `prompt`: written to the provider's cache, for five minutes or for a time that it does not state. Absent for none. */
  cacheWritten: tokenCount.optional(),
  /** Part of `prompt`: written to the provider's cache for an hour. Absent for none. */
  cacheWrittenHour: tokenCount.optional(),
  /** Part of `completion`. */
  reasoning: tokenCount.default(0),
});
/** Before parsing: counts with a default may be absent. */
export type CallTokens = Readonly<z.input<typeof callTokensSchema>>;

/** Tokens written to the provider's cache, for whatever time. */
export const writtenTokens = ({ cacheWritten = 0, cacheWrittenHour = 0 }: CallTokens): number =>
  cacheWritten + cacheWrittenHour;

/** The tokens that a price applies to. */
export type PricedTokens = Omit<CallTokens, 'reasoning'>;

/** The cost of a call in US dollars; null when its price or its tokens are unknown. */
export function costOfCall(tokens: PricedTokens | null, price: Price | null): number | null {
  if (tokens === null || price === null) return null;
  const { input, output, cachedInput = input } = price;
  const { cacheWrite = input } = price;
  const { cacheWriteHour = cacheWrite } = price;
  // A provider's parts may be more than the whole.
  const cached = Math.min(tokens.cached, tokens.prompt);
  const hour = Math.min(tokens.cacheWrittenHour ?? 0, tokens.prompt - cached);
  const written = Math.min(tokens.cacheWritten ?? 0, tokens.prompt - cached - hour);
  const plain = tokens.prompt - cached - hour - written;
  return (
    (plain * input +
      cached * cachedInput +
      written * cacheWrite +
      hour * cacheWriteHour +
      tokens.completion * output) /
    1e6
  );
}

/** What the provider's cache has of some calls. */
export interface CacheEffect {
  /** Of the prompt tokens, those that were read from it. */
  readonly share: number;
  /** US dollars: below zero where writing to it costs more. Null as in `costOfCall`. */
  readonly savedUsd: number | null;
}

/** Null where nothing was read or written. */
export function cacheEffect(tokens: PricedTokens, price: Price | null): CacheEffect | null {
  const { prompt, completion, cached } = tokens;
  if (cached + writtenTokens(tokens) === 0) return null;
  const cost = costOfCall(tokens, price);
  const uncached = costOfCall({ prompt, completion, cached: 0 }, price);
  const savedUsd = cost === null || uncached === null ? null : uncached - cost;
  return { share: Math.min(1, cached / Math.max(1, prompt)), savedUsd };
}

/** `30 %, which saves $0.12`. */
export function cacheText({ share, savedUsd }: CacheEffect): string {
  const saved = savedUsd ?? 0;
  if (saved === 0) return percent(share, 1);
  const effect = saved > 0 ? `saves ${dollars(saved)}` : `costs ${dollars(-saved)} more`;
  return `${percent(share, 1)}, which ${effect}`;
}

/** Of a prompt token, whether it is read, written to a cache or read from one. */
export const highestPromptPrice = ({
  input,
  cachedInput = input,
  cacheWrite = input,
  cacheWriteHour = cacheWrite,
}: Price): number => Math.max(input, cachedInput, cacheWrite, cacheWriteHour);

/**
 * The usage of a question, as the provider counted it: of its model calls and its paid tools. A reply from the cache counts
 * in `cacheHits` only. `retries` counts failed and lost attempts.
 */
export const usageSchema = z.object({
  promptTokens: z.int().nonnegative(),
  completionTokens: z.int().nonnegative(),
  /** Part of `promptTokens`. */
  cachedTokens: z.int().nonnegative(),
  /** Part of `promptTokens`: written to the provider's cache, for whatever time. */
  cacheWrittenTokens: z.int().nonnegative().default(0),
  /** Part of `completionTokens`. */
  reasoningTokens: z.int().nonnegative().default(0),
  calls: z.int().nonnegative(),
  retries: z.int().nonnegative(),
  cacheHits: z.int().nonnegative().default(0),
  /**
   * Of calls that were sent and whose reply never came, as with a worker that was killed. They may be billed. Each counts like
   * the call that took its place, and in no other figure.
   */
  lostTokens: z.int().nonnegative().default(0),
});
export type Usage = Readonly<z.infer<typeof usageSchema>>;
/** A usage before parsing: counts with a default may be absent. */
type CarriedUsage = Readonly<z.input<typeof usageSchema>>;

export const noUsage: Usage = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  cacheWrittenTokens: 0,
  reasoningTokens: 0,
  calls: 0,
  retries: 0,
  cacheHits: 0,
  lostTokens: 0,
};

export const usageCounts = Object.keys(noUsage) as (keyof Usage)[];

const combined =
  (sign: 1 | -1) =>
  (a: CarriedUsage, b: CarriedUsage): Usage =>
    // Each key of Usage, so that nothing is missing.
    Object.fromEntries(
      usageCounts.map((count) => [count, (a[count] ?? 0) + sign * (b[count] ?? 0)]),
    ) as unknown as Usage;

export const addUsage = combined(1);

export const subtractUsage = combined(-1);
