import type { RateLimit } from '../models/rate-limit.js';
import type { Permit } from './call.js';

/** Whether a call was refused because too few tokens remain. Providers that say nothing count requests. */
export function isByTokens({ tokens }: Permit, said: RateLimit | undefined): boolean {
  const { exceeded, remainingRequests = Infinity, remainingTokens = Infinity } = said ?? {};
  if (exceeded !== undefined) return exceeded === 'tokens';
  return remainingTokens < tokens && remainingRequests >= 1;
}
