import { createHash } from 'node:crypto';
import type { Account } from '../../activities/ports/accounts.js';
import type { ModelRequest } from '../../activities/ports/model.js';
import { accountWorkflowId } from '../../domain/ids.js';
import { endpointUrl } from './endpoint-url.js';
import { keyFor, type EndpointKey } from './openai-endpoint.js';

/** The account a request counts for: of its endpoint, its key and its model. */
export function accountOf(
  key: EndpointKey,
  { baseUrl, model }: Pick<ModelRequest, 'baseUrl' | 'model'>,
): Account {
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([endpointUrl(baseUrl), keyFor(key, baseUrl) ?? null]))
    .digest('hex')
    .slice(0, 12);
  return {
    workflowId: accountWorkflowId(baseUrl, model, fingerprint),
    name: `${new URL(baseUrl).host}, model ${model}`,
  };
}
