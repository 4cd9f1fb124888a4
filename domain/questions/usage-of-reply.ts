import { noUsage, type Usage } from '../usage.js';
import type { z } from 'zod';
import { replyRecordSchema } from './turn-record.js';

/** What of a stored reply says what it took. */
export const paidCallSchema = replyRecordSchema.pick({
  model: true,
  tokens: true,
  costUsd: true,
  charged: true,
  cacheHit: true,
  retries: true,
});
export type PaidCall = Readonly<z.infer<typeof paidCallSchema>>;

export function usageOf({ model, tokens, retries, cacheHit }: PaidCall): Usage {
  if (model === null) return { ...noUsage, retries };
  if (cacheHit) return { ...noUsage, retries, cacheHits: 1 };
  return {
    promptTokens: tokens?.prompt ?? 0,
    completionTokens: tokens?.completion ?? 0,
    cachedTokens: tokens?.cached ?? 0,
    reasoningTokens: tokens?.reasoning ?? 0,
    calls: 1,
    retries,
    cacheHits: 0,
  };
}

export const costOfReply = ({ costUsd, cacheHit }: PaidCall): number | null =>
  cacheHit ? 0 : costUsd;

/** Null as soon as one of them is unknown: half a sum looks like a whole one. */
export const sumOfCosts = (costs: readonly (number | null)[]): number | null =>
  costs.includes(null) ? null : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0);
