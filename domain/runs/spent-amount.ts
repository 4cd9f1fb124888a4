import type { ReplyRecord } from '../agent/turn-record.js';
import { add, noAmount, type Amount } from '../budget/amount.js';
import { worstCase } from '../budget/worst-case.js';
import type { ChatRequest } from '../models/chat-request.js';
import { costOfCall, noUsage, type Price, type PricedTokens, type Usage } from '../models/usage.js';
import type { EndRecord } from './question-end.js';

/** What is asked of a reply, stored or not. */
interface PaidReply extends Pick<ReplyRecord, 'costUsd' | 'cacheHit' | 'charged'> {
  readonly tokens: Pick<NonNullable<ReplyRecord['tokens']>, 'prompt' | 'completion'> | null;
}

interface Reply {
  /** Null where the provider reports no usage. */
  readonly tokens: PricedTokens | null;
  readonly cacheHit?: true;
}

/**
 * What a reply cost: US dollars (null where the price or the usage is unknown), and what a budget is charged for a reply
 * without usage, which is the most that the call may cost.
 */
export function costOfReply(
  request: ChatRequest & { readonly price: Price | null },
  { tokens, cacheHit }: Reply,
): { readonly costUsd: number | null; readonly charged?: Amount } {
  if (cacheHit) return { costUsd: 0 };
  if (tokens === null) return { costUsd: null, charged: worstCase(request, request.price) };
  return { costUsd: costOfCall(tokens, request.price) };
}

/** What a call took of a budget; of an unknown price, no dollars. */
export const amountOfReply = ({ costUsd, tokens, cacheHit, charged }: PaidReply): Amount => {
  if (cacheHit) return noAmount;
  if (tokens === null) return charged ?? noAmount;
  return { usd: costUsd ?? 0, tokens: tokens.prompt + tokens.completion };
};

/** Whether an end says all that its calls took of a budget: one without usage is charged by its reply alone. */
export const isAmountKnown = ({ result: { usage }, score }: EndRecord): boolean =>
  [usage, score.judgeUsage ?? noUsage].every(
    ({ calls, promptTokens }) => calls === 0 || promptTokens > 0,
  );

/** The same of all calls of a question that has ended, those of its judges included. */
export const amountOfEnd = ({ result: { costUsd, usage }, score }: EndRecord): Amount =>
  add(amountOf(costUsd, usage), amountOf(score.judgeCostUsd ?? null, score.judgeUsage ?? noUsage));

const amountOf = (costUsd: number | null, usage: Usage): Amount => ({
  usd: costUsd ?? 0,
  tokens: usage.promptTokens + usage.completionTokens,
});
