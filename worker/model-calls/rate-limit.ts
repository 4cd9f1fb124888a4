import { createHash } from 'node:crypto';
import type { Account, AccountsPort } from '../../activities/ports/accounts.js';
import type { ModelPort, ModelReply, ModelRequest } from '../../activities/ports/model.js';
import { PortFailure } from '../../activities/ports/port-failure.js';
import { accountWorkflowId } from '../../domain/ids.js';
import { partsOf } from '../../domain/models/chat-message.js';
import type { Call, Deferral, Permit } from '../../domain/rate-limits/call.js';
import { endpointUrl, keyFor, type EndpointKeys } from '../adapters/model-apis/endpoint.js';
import { createAccountLimiter, type AccountLimiter } from './account-limiter.js';

/** The provider account of a request: an endpoint, a key and a model. */
export function accountOf(
  keys: EndpointKeys,
  { api, baseUrl, model }: Pick<ModelRequest, 'api' | 'baseUrl' | 'model'>,
): Account {
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([endpointUrl(baseUrl), keyFor(keys[api], baseUrl) ?? null]))
    .digest('hex')
    .slice(0, 12);
  return {
    workflowId: accountWorkflowId(baseUrl, model, fingerprint),
    name: `${new URL(baseUrl).host}, model ${model}`,
  };
}

/** A picture is counted as a text of this length, which has about as many tokens. */
const pictureCharacters = 4000;

/**
 * The third link of a model call: it waits until the rate limiter of the account permits the call, and waits again after a
 * 429. A call that gets no permit in time, or whose account has no credit, rejects with PortFailure (`ModelDeferred`).
 */
export function rateLimiting({
  keys,
  accounts,
  worker,
  maxWaitMs = 60_000,
}: {
  readonly keys: EndpointKeys;
  readonly accounts: AccountsPort;
  /** The name of this worker in its reports to the account. A worker that reuses the name takes over its share. */
  readonly worker: string;
  /** How long a call may wait for its permit. @defaultValue a minute */
  readonly maxWaitMs?: number;
}): (next: ModelPort) => ModelPort {
  const limiters = new Map<string, AccountLimiter>();

  function limiterOf(account: Account): AccountLimiter {
    const known = limiters.get(account.workflowId);
    if (known) return known;
    const fresh = createAccountLimiter(accounts, account, worker);
    limiters.set(account.workflowId, fresh);
    return fresh;
  }

  return (next) => ({
    complete: async (request, signal, report) => {
      const account = accountOf(keys, request);
      const limiter = limiterOf(account);
      const call = callOf(request, performance.now() + maxWaitMs);
      report?.('waits for its turn');
      let outcome = await limiter.wait(call, signal);
      for (;;) {
        if ('reason' in outcome) throw deferralFailure(outcome, account);
        report?.('calls the model');
        const reply = await send(next, request, signal, limiter, outcome);
        if (reply !== null) return reply;
        report?.('waits for its turn');
        outcome = await limiter.waitAgain(call, signal);
      }
    },
  });
}

/** Null after a 429. */
async function send(
  next: ModelPort,
  request: ModelRequest,
  signal: AbortSignal,
  limiter: AccountLimiter,
  permit: Permit,
): Promise<ModelReply | null> {
  try {
    const reply = await next.complete(request, signal);
    limiter.record((one, nowMs) => one.accepted(permit, reply.tokens, reply.rateLimit, nowMs));
    return reply;
  } catch (error) {
    return recordFailure(limiter, permit, error);
  }
}

function recordFailure(limiter: AccountLimiter, permit: Permit, error: unknown): null {
  const { type, message, options } =
    error instanceof PortFailure ? error : { type: null, message: '', options: {} };
  const { rateLimit, retryAfterMs } = options;
  if (type === 'ModelRateLimited') {
    limiter.record((one, nowMs) => one.refused(permit, rateLimit, retryAfterMs, nowMs));
    return null;
  }
  if (type === 'ModelQuotaSpent') {
    limiter.record((one, nowMs) => one.quotaSpent(nowMs));
    throw new PortFailure('ModelDeferred', message, { ...options, reason: 'quota' });
  }
  limiter.record((one, nowMs) =>
    type === 'ModelUnavailable' ? one.failed(rateLimit, nowMs) : one.ended(rateLimit, nowMs),
  );
  throw error;
}

function callOf(request: ModelRequest, deadlineMs: number): Call {
  const { run = '', messages, tools, maxTokens, concurrency = 'fixed' } = request;
  const characters = messages
    .flatMap(({ content }) => partsOf(content))
    .map((part) => (part.type === 'text' ? part.text.length : pictureCharacters))
    .reduce((sum, count) => sum + count, tools === undefined ? 0 : JSON.stringify(tools).length);
  return { run, characters, maxCompletion: maxTokens, concurrency, deadlineMs };
}

function deferralFailure({ reason, retryAfterMs }: Deferral, { name }: Account): PortFailure {
  return reason === 'quota'
    ? new PortFailure(
        'ModelDeferred',
        `${name}: the account's credit is spent: add credit, then resume the run.`,
        { reason },
      )
    : new PortFailure(
        'ModelDeferred',
        `${name}: the provider's limits leave no room for the call at the moment: it is tried again later.`,
        { reason, ...(retryAfterMs !== null && { retryAfterMs }) },
      );
}
