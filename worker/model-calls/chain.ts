import type { Client } from '@temporalio/client';
import type { AccountsPort } from '../../activities/ports/accounts.js';
import type { ModelPort } from '../../activities/ports/model.js';
import { createLimitedModel } from './rate-limit.js';
import type { EndpointKey } from '../adapters/openai/endpoint.js';
import { createOpenAiModel } from '../adapters/openai/chat-model.js';
import { leasedBudgets } from './budget-lease.js';
import { caching } from './cache.js';
import { reserving } from './reserve.js';

/**
 * The way of every model call in a worker: reserve → cache → rate limit → request. Each link takes the next one and
 * returns a model of the same shape. A cached reply neither waits for the provider's limits nor counts for them.
 */
export function createModelCalls({
  client,
  key,
  accounts,
  worker,
  cacheFolder,
}: {
  readonly client: Client;
  readonly key: EndpointKey;
  readonly accounts: AccountsPort;
  /** The name under which provider accounts know this worker. */
  readonly worker: string;
  readonly cacheFolder: string;
}): ModelPort {
  const reserve = reserving(leasedBudgets(client));
  const cache = caching(cacheFolder);
  const rateLimit = (model: ModelPort): ModelPort =>
    createLimitedModel({ model, key, accounts, worker });
  return reserve(cache(rateLimit(createOpenAiModel(key))));
}
