import { z } from 'zod';

/** What calls cost or may cost: US dollars, and tokens of prompt and completion. */
export const amountSchema = z.object({
  usd: z.number().nonnegative(),
  tokens: z.number().nonnegative(),
});
export type Amount = Readonly<z.infer<typeof amountSchema>>;

/** Null where there is no ceiling. */
export const capSchema = z.object({
  usd: z.number().nonnegative().nullable(),
  tokens: z.int().nonnegative().nullable(),
});
export type Cap = Readonly<z.infer<typeof capSchema>>;

export const noAmount: Amount = { usd: 0, tokens: 0 };
export const noCap: Cap = { usd: null, tokens: null };

/** So many parts of a dollar are counted whole: a token of the cheapest model costs some thousands of them. */
const parts = 1e12;

/** Without the error that sums of fractions have; up to 9,000 dollars. */
const exact = (usd: number): number => Math.round(usd * parts) / parts;

/** What is added and taken away in any order comes to the same, to the last part of a dollar. */
export const add = (a: Amount, b: Amount): Amount => ({
  usd: exact(a.usd + b.usd),
  tokens: a.tokens + b.tokens,
});

/** Never below nothing: what is left of `a`. */
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

/** Whether `a` is enough for `b` in both. */
export const covers = (a: Amount, b: Amount): boolean =>
  exact(a.usd) >= exact(b.usd) && a.tokens >= b.tokens;

export const isZero = ({ usd, tokens }: Amount): boolean => exact(usd) === 0 && tokens === 0;

/** The cap as an amount; without end where there is none. */
export const capAsAmount = ({ usd, tokens }: Cap): Amount => ({
  usd: usd ?? Infinity,
  tokens: tokens ?? Infinity,
});

export const isCapped = ({ usd, tokens }: Cap): boolean => usd !== null || tokens !== null;
