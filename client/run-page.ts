import { runWorkflowId, type RunId } from '../domain/ids.js';
import type { Environment } from '../domain/settings.js';
import type { Services } from './services.js';

/** Where the Temporal UI shows a run; null where the server, and so its UI, is not ours. */
export function runPage(
  { uiAddress }: Pick<Services, 'uiAddress'>,
  { TEMPORAL_NAMESPACE }: Pick<Environment, 'TEMPORAL_NAMESPACE'>,
  run: RunId,
): string | null {
  if (uiAddress === null) return null;
  const workflow = encodeURIComponent(runWorkflowId(run));
  return `${uiAddress}/namespaces/${TEMPORAL_NAMESPACE}/workflows/${workflow}`;
}
