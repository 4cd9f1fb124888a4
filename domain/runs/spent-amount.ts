import type { ToolFacts } from '../agent/observations/tool-outcome.js';
import type { FinishedTurn, ReplyRecord } from '../agent/turn-record.js';
import { add, noAmount, sum, noBills, worstCase, type Amount } from '../budget/amount.js';
import { sizeOf } from '../budget/call-size.js';
import type { ChatRequest } from '../models/chat-message.js';
import { costOfCall, noUsage, type Price, type PricedTokens, type Usage } from '../models/usage.js';
import type { EndRecord } from './question-end.js';

interface PaidReply extends Pick<ReplyRecord, 'costUsd' | 'cacheHit' | 'charged' | 'unanswered'> {
  readonly tokens: Pick<NonNullable<ReplyRecord['tokens']>, 'prompt' | 'completion'> | null;
}

interface Reply {
  /** Null if the provider reports no usage. */
  readonly tokens: PricedTokens | null;
  readonly cacheHit?: true;
}

/**
 * The cost of a reply in US dollars, null if the price or the usage is unknown. For a reply without usage, `charged` is the
 * highest possible cost of the call, which the budget is charged with.
 */
export function costOfReply(
  request: ChatRequest & { readonly price: Price | null },
  { tokens, cacheHit }: Reply,
): { readonly costUsd: number | null; readonly charged?: Amount } {
  if (cacheHit) return { costUsd: 0 };
  if (tokens === null) return { costUsd: null, charged: worstCase(sizeOf(request), noBills) };
  return { costUsd: costOfCall(tokens, request.price) };
}

/**
 * What a call took of a budget. With an unknown price it took no dollars. Attempts whose reply never came count like the one
 * that took their place.
 */
export const amountOfReply = (reply: PaidReply): Amount => {
  const { costUsd, tokens, cacheHit, charged = noAmount, unanswered = 0 } = reply;
  const paid =
    tokens === null ? charged : { usd: costUsd ?? 0, tokens: tokens.prompt + tokens.completion };
  return sum(Array<Amount>(unanswered + (cacheHit ? 0 : 1)).fill(paid));
};

/** What a tool took of a budget; no dollars if it does not say what it has cost. */
export const amountOfTool = (facts: ToolFacts | undefined): Amount => ({
  usd: facts?.costUsd ?? 0,
  tokens: 0,
});

export const amountOfTurn = ({ reply, facts }: FinishedTurn): Amount =>
  add(amountOfReply(reply), amountOfTool(facts));

/** The prompt tokens that the provider billed; null if it reports none, or sent nothing. */
export const billedPrompt = ({
  tokens,
  cacheHit,
}: Pick<PaidReply, 'tokens' | 'cacheHit'>): number | null =>
  cacheHit ? null : (tokens?.prompt ?? null);

/**
 * Whether `amountOfEnd` is complete. Calls without usage and lost ones are charged by their stored replies, which it does not
 * know, and one unknown cost hides all others.
 * @param mayHideCosts - whether some calls of the run can have a known cost and others none
 */
export const isAmountKnown = ({ result, score }: EndRecord, mayHideCosts: boolean): boolean =>
  !(mayHideCosts && result.costUsd === null) &&
  [result.usage, score.judgeUsage ?? noUsage].every(
    ({ calls, promptTokens, lostTokens }) => (calls === 0 || promptTokens > 0) && lostTokens === 0,
  );

/** What all calls of an ended question took of a budget, with those of its judges. */
export const amountOfEnd = ({ result: { costUsd, usage }, score }: EndRecord): Amount =>
  add(amountOf(costUsd, usage), amountOf(score.judgeCostUsd ?? null, score.judgeUsage ?? noUsage));

const amountOf = (costUsd: number | null, usage: Usage): Amount => ({
  usd: costUsd ?? 0,
  tokens: usage.promptTokens + usage.completionTokens,
});
