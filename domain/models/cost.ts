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
