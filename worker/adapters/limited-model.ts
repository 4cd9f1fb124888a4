import type { Account, AccountsPort } from '../../activities/ports/accounts.js';
import type { ModelPort, ModelReply, ModelRequest } from '../../activities/ports/model.js';
import { PortFailure } from '../../activities/ports/port-failure.js';
import type { Call, Permit, TurnedAway } from '../../domain/limits/call.js';
import { partsOf } from '../../domain/models/chat-message.js';
import { accountOf } from './account-of.js';
import type { AccountGate } from './account-gate.js';
import type { EndpointKey } from './openai-endpoint.js';
import { ReportedGate } from './reported-gate.js';

/** As many characters as make the tokens of a picture. */
const pictureCharacters = 4000;

/**
 * A model whose calls are sent as its provider's limits allow: each waits for its turn, and waits again when it is
 * refused all the same. One that cannot be sent within `patienceMs` rejects with PortFailure (`ModelDeferred`), as does
 * one for which there is no credit.
 * @param worker - what the account knows this worker by: one that comes after it under the same name takes its share over
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
  const gates = new Map<string, AccountGate>();

  function gateOf(account: Account): AccountGate {
    const known = gates.get(account.workflowId);
    if (known) return known;
    const fresh = new ReportedGate(accounts, account, worker);
    gates.set(account.workflowId, fresh);
    return fresh;
  }

  return {
    complete: async (request, signal, tell) => {
      const account = accountOf(key, request);
      const gate = gateOf(account);
      const call = callOf(request, performance.now() + patienceMs);
      tell?.('waits for its turn');
      let turn = await gate.wait(call, signal);
      for (;;) {
        if ('reason' in turn) throw deferral(turn, account);
        tell?.('calls the model');
        const reply = await send(request, signal, gate, turn);
        if (reply !== null) return reply;
        tell?.('waits for its turn');
        turn = await gate.waitAgain(call, signal);
      }
    },
  };

  /** Null where the provider's limits were exceeded. */
  async function send(
    request: ModelRequest,
    signal: AbortSignal,
    gate: AccountGate,
    permit: Permit,
  ): Promise<ModelReply | null> {
    try {
      const reply = await model.complete(request, signal);
      gate.tell((one, nowMs) => one.accepted(permit, reply.tokens, reply.rateLimit, nowMs));
      return reply;
    } catch (error) {
      return afterFailure(gate, permit, error);
    }
  }
}

function afterFailure(gate: AccountGate, permit: Permit, error: unknown): null {
  const { type, message, options } =
    error instanceof PortFailure ? error : { type: null, message: '', options: {} };
  const { rateLimit, retryAfterMs } = options;
  if (type === 'ModelRateLimited') {
    gate.tell((one, nowMs) => one.refused(permit, rateLimit, retryAfterMs, nowMs));
    return null;
  }
  if (type === 'ModelQuotaSpent') {
    gate.tell((one, nowMs) => one.quotaSpent(permit, nowMs));
    throw new PortFailure('ModelDeferred', message, { ...options, reason: 'quota' });
  }
  gate.tell((one, nowMs) =>
    type === 'ModelUnavailable'
      ? one.failed(permit, rateLimit, nowMs)
      : one.ended(permit, rateLimit, nowMs),
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

function deferral({ reason, retryAfterMs }: TurnedAway, { name }: Account): PortFailure {
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
