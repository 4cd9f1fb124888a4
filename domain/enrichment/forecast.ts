import { noAmount, sum } from '../budget/amount.js';
import { estimatedCost } from '../budget/bills.js';
import { sizeOf } from '../budget/call-size.js';
import { tokensOf } from '../models/tokens.js';
import type { EnrichmentKind } from './items.js';
import type { EnrichmentJob } from './job.js';
import { countedRequest, type EnrichmentRecord } from './record.js';
import { openQuestions, type AskedPaper } from './asked-paper.js';

/** What the calls of a job will take. */
export interface EnrichmentForecast {
  readonly papers: number;
  /** Calls by what they are about. The summaries of scanned pages come on top of them. */
  readonly kinds: Readonly<Partial<Record<EnrichmentKind, number>>>;
  readonly calls: number;
  readonly promptTokens: number;
  /** If every reply had the most tokens that it may have. Null if a price is unknown. */
  readonly mostUsd: number | null;
  readonly mostTokens: number;
  /** Whether some of the papers stand for all. */
  readonly isEstimate: boolean;
}

/** @param some - papers of the job, evenly chosen: they stand for all */
export function enrichmentForecast(
  job: EnrichmentJob,
  some: readonly { readonly asked: AskedPaper; readonly records: readonly EnrichmentRecord[] }[],
): EnrichmentForecast {
  const times = some.length === 0 ? 0 : job.papers.length / some.length;
  const calls = some
    .flatMap(({ asked, records }) => openQuestions(job, asked, records))
    .map(({ question }) => ({
      kind: question.item.kind,
      request: countedRequest(question),
    }));
  const kinds: Partial<Record<EnrichmentKind, number>> = {};
  for (const { kind } of calls) kinds[kind] = (kinds[kind] ?? 0) + 1;
  const scaled = Object.entries(kinds).map(([kind, calls]) => [kind, Math.round(calls * times)]);
  const most = sum([noAmount, ...calls.map(({ request }) => estimatedCost(sizeOf(request)))]);
  const prompts = calls.flatMap(({ request }) => request.messages.map(tokensOf));
  return {
    papers: job.papers.length,
    kinds: Object.fromEntries(scaled) as EnrichmentForecast['kinds'], // the same keys
    calls: Math.round(calls.length * times),
    promptTokens: Math.round(prompts.reduce((total, tokens) => total + tokens, 0) * times),
    mostUsd: calls.some(({ request }) => request.price === null) ? null : most.usd * times,
    mostTokens: Math.round(most.tokens * times),
    isEstimate: some.length < job.papers.length,
  };
}
