import { z } from 'zod';

/** The cost of calls: US dollars, and tokens of prompts and completions. */
export const amountSchema = z.object({
  usd: z.number().nonnegative(),
  tokens: z.number().nonnegative(),
});
export type Amount = Readonly<z.infer<typeof amountSchema>>;

/** The highest amount that may be spent. Null means no limit. */
export const capSchema = z.object({
  usd: z.number().nonnegative().nullable(),
  tokens: z.int().nonnegative().nullable(),
});
export type Cap = Readonly<z.infer<typeof capSchema>>;

export const noAmount: Amount = { usd: 0, tokens: 0 };
export const noCap: Cap = { usd: null, tokens: null };

/** Dollars are rounded to 1 / precision. A token of the cheapest models costs some thousands of these units. */
const precision = 1e12;

/** Removes the rounding error of floating-point sums. Exact up to 9,000 dollars. */
const exact = (usd: number): number => Math.round(usd * precision) / precision;

/** The order of additions and subtractions does not change the result. */
export const add = (a: Amount, b: Amount): Amount => ({
  usd: exact(a.usd + b.usd),
  tokens: a.tokens + b.tokens,
});

/** `a - b`, but at least 0. */
export const subtract = (a: Amount, b: Amount): Amount => ({
  usd: Math.max(0, exact(a.usd - b.usd)),
  tokens: Math.max(0, a.tokens - b.tokens),
});

export const min = (a: Amount, b: Amount): Amount => ({
  usd: Math.min(a.usd, b.usd),
  tokens: Math.min(a.tokens, b.tokens),
});

export const max = (a: Amount, b: Amount): Amount => ({
  usd: Math.max(a.usd, b.usd),
  tokens: Math.max(a.tokens, b.tokens),
});

export const sum = (amounts: readonly Amount[]): Amount => amounts.reduce(add, noAmount);

/** Whether `a` is at least `b`, in dollars and in tokens. */
export const covers = (a: Amount, b: Amount): boolean =>
  exact(a.usd) >= exact(b.usd) && a.tokens >= b.tokens;

export const isZero = ({ usd, tokens }: Amount): boolean => exact(usd) === 0 && tokens === 0;

/** The cap as an amount. Infinity stands for no limit. */
export const capAsAmount = ({ usd, tokens }: Cap): Amount => ({
  usd: usd ?? Infinity,
  tokens: tokens ?? Infinity,
});

/** What is left of a budget; null where it has no limit. */
export function capLeft(cap: Cap, spent: Amount): Cap {
  const { usd, tokens } = subtract(capAsAmount(cap), spent);
  return { usd: cap.usd === null ? null : usd, tokens: cap.tokens === null ? null : tokens };
}

export const isCapped = ({ usd, tokens }: Cap): boolean => usd !== null || tokens !== null;
