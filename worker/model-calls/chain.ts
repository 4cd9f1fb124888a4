import type { AccountsPort } from '../../activities/ports/accounts.js';
import type { ModelPort } from '../../activities/ports/model.js';
import type { BatchFilesPort } from '../../activities/ports/run-files.js';
import type { EndpointKeys } from '../adapters/model-apis/endpoint.js';
import { createModel } from '../adapters/model-apis/model.js';
import { batching } from './batching.js';
import { caching } from './cache.js';
import { rateLimiting } from './rate-limit.js';
import { reserving, type Budgets } from './reserve.js';
import type { SentCalls } from './sent-calls.js';
import { warmFirst } from './warm-first.js';

/**
 * Every model call of a worker passes these links: sent calls → reserve → cache → warm first → rate limit → request. A link
 * takes the next ModelPort and returns a ModelPort. A cached reply neither waits for the rate limit nor counts towards it. A
 * call in a batch passes cache → batch.
 */
export function createModelCalls({
  budgets,
  keys,
  accounts,
  worker,
  cacheFolder,
  sentCalls,
  measured,
  batchFiles,
}: {
  readonly budgets: Budgets;
  readonly keys: EndpointKeys;
  readonly accounts: AccountsPort;
  /** The name of this worker in its reports to provider accounts. */
  readonly worker: string;
  readonly cacheFolder: string;
  readonly sentCalls: SentCalls;
  /** Measures what is sent, and what comes in a batch. */
  readonly measured: (next: ModelPort) => ModelPort;
  readonly batchFiles: BatchFilesPort;
}): ModelPort {
  const reserve = reserving(budgets);
  const cache = caching(cacheFolder);
  const warm = warmFirst();
  const rateLimit = rateLimiting({ keys, accounts, worker });
  const request = measured(createModel(keys));
  const atOnce = sentCalls.link(reserve(cache(warm(rateLimit(request)))));
  const inBatches = cache(measured(batching(batchFiles, keys)));
  return {
    complete: (asked, ...others) => (asked.batched ? inBatches : atOnce).complete(asked, ...others),
  };
}
