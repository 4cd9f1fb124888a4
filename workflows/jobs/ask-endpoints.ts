import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.js';
import { modelApis } from '../../domain/model-api.js';
import type { ModelEndpoint } from '../../domain/model-endpoints.js';

const { askEndpoints } = proxyActivities<Activities>({
  startToCloseTimeout: '8 seconds',
  retry: { maximumAttempts: 1 },
});

/** Which model endpoints a worker can ask, with the keys that it has. */
export const askEndpointsWorkflow = async (): Promise<{
  readonly endpoints: readonly ModelEndpoint[];
}> => ({ endpoints: await askEndpoints({ apis: modelApis }) });
