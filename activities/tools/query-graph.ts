import { graphObservation } from '../../domain/observations/graph-observation.js';
import type { Observed } from '../../domain/observations/tool-outcome.js';
import type { ToolUse } from './tool-use.js';

/** QueryGraph. A program that fails is no business of the model's: the failure is thrown. */
export async function queryGraph(
  { graph, store, graphTimeoutMs, signal, timed }: ToolUse,
  { query }: { readonly query: string },
): Promise<Observed & { readonly costUsd: number | null }> {
  const request = { store: store.name, query, timeoutMs: graphTimeoutMs };
  const { answer, costUsd } = await timed(graph.query(request, signal));
  return { ...graphObservation(answer), costUsd };
}
