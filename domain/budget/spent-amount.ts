import type { EndRecord } from '../questions/end-record.js';
import type { ReplyRecord } from '../questions/turn-record.js';
import { noUsage, type Usage } from '../usage.js';
import { add, nothing, type Amount } from './amount.js';

/** What is asked of a reply, stored or not. */
interface PaidReply extends Pick<ReplyRecord, 'costUsd' | 'cacheHit'> {
  readonly tokens: Pick<NonNullable<ReplyRecord['tokens']>, 'prompt' | 'completion'> | null;
}

/** What a call took of a budget; of an unknown price or unknown tokens, nothing. */
export const amountOfReply = ({ costUsd, tokens, cacheHit }: PaidReply): Amount =>
  cacheHit
    ? nothing
    : { usd: costUsd ?? 0, tokens: (tokens?.prompt ?? 0) + (tokens?.completion ?? 0) };

/** The same of all calls of a question that has ended, those of its judges included. */
export const amountOfEnd = ({ result: { costUsd, usage }, score }: EndRecord): Amount =>
  add(amountOf(costUsd, usage), amountOf(score.judgeCostUsd ?? null, score.judgeUsage ?? noUsage));

const amountOf = (costUsd: number | null, usage: Usage): Amount => ({
  usd: costUsd ?? 0,
  tokens: usage.promptTokens + usage.completionTokens,
});
