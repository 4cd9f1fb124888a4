import { type CaseEstimate, type RunEstimate, estimateCases } from '../runs/run-estimate.js';

/** The estimate of runs that are made one after the other. A sum with an unknown part is unknown. */
export function sumOfEstimates(estimates: readonly RunEstimate[]): RunEstimate {
  const sums = estimateCases.map(
    (name) => [name, estimates.map((each) => each[name]).reduce(addCase, nothing)] as const,
  );
  // There is one entry for each case.
  return Object.fromEntries(sums) as RunEstimate;
}

const nothing: CaseEstimate = { calls: 0, promptTokens: 0, completionTokens: 0, usd: 0, ms: 0 };

const addCase = (a: CaseEstimate, b: CaseEstimate): CaseEstimate => ({
  calls: a.calls + b.calls,
  promptTokens: a.promptTokens + b.promptTokens,
  completionTokens: a.completionTokens + b.completionTokens,
  usd: a.usd === null || b.usd === null ? null : a.usd + b.usd,
  ms: a.ms === null || b.ms === null ? null : a.ms + b.ms,
});
