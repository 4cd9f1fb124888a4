import { createHash } from 'node:crypto';
import type { Account, AccountsPort } from '../../activities/ports/accounts.js';
import type { ModelPort, ModelReply, ModelRequest } from '../../activities/ports/model.js';
import { PortFailure } from '../../activities/ports/port-failure.js';
import { accountWorkflowId } from '../../domain/ids.js';
import { partsOf } from '../../domain/models/chat-message.js';
import type { Call, Deferral, Permit } from '../../domain/rate-limits/call.js';
import { endpointUrl, keyFor, type EndpointKey } from '../adapters/openai/endpoint.js';
import { createAccountLimiter, type AccountLimiter } from './account-limiter.js';

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

/** A picture takes about as many tokens as so many characters. */
const pictureCharacters = 4000;

/**
 * The "rate limit" link of a model call. Each call waits until the provider's limits leave room for it, and waits again when
 * it is refused nevertheless. A call that cannot be sent within `patienceMs`, or for which there is no credit, rejects with
 * PortFailure (`ModelDeferred`).
 * @param worker - the name of this worker among those of the account. A worker that starts later under the same name takes
 * its share over
 * @param patienceMs - default: a minute
 */
export function createLimitedModel({
  model,
  key,
  accounts,
  worker,
  patienceMs = 60_000,
}: {
  readonly model: ModelPort;
  readonly key: EndpointKey;
  readonly accounts: AccountsPort;
  readonly worker: string;
  readonly patienceMs?: number;
}): ModelPort {
  const limiters = new Map<string, AccountLimiter>();

  function limiterOf(account: Account): AccountLimiter {
    const known = limiters.get(account.workflowId);
    if (known) return known;
    const fresh = createAccountLimiter(accounts, account, worker);
    limiters.set(account.workflowId, fresh);
    return fresh;
  }

  return {
    complete: async (request, signal, tell) => {
      const account = accountOf(key, request);
      const limiter = limiterOf(account);
      const call = callOf(request, performance.now() + patienceMs);
      tell?.('waits for its turn');
      let turn = await limiter.wait(call, signal);
      for (;;) {
        if ('reason' in turn) throw deferral(turn, account);
        tell?.('calls the model');
        const reply = await send(model, request, signal, limiter, turn);
        if (reply !== null) return reply;
        tell?.('waits for its turn');
        turn = await limiter.waitAgain(call, signal);
      }
    },
  };
}

/** Null where the provider's limits were exceeded. */
async function send(
  model: ModelPort,
  request: ModelRequest,
  signal: AbortSignal,
  limiter: AccountLimiter,
  permit: Permit,
): Promise<ModelReply | null> {
  try {
    const reply = await model.complete(request, signal);
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

function deferral({ reason, retryAfterMs }: Deferral, { name }: Account): PortFailure {
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
