import { createHash } from 'node:crypto';
import type { Account, AccountsPort } from '../../activities/ports/accounts.js';
import type {
  ModelPort,
  ModelReply,
  ModelRequest,
  ReportStage,
} from '../../activities/ports/model.js';
import { PortFailure } from '../../activities/ports/port-failure.js';
import { accountWorkflowId } from '../../domain/ids.js';
import { partsOf } from '../../domain/models/chat-message.js';
import { localEstimates, type AccountReport } from '../../domain/rate-limits/account-report.js';
import {
  type Call,
  type Deferral,
  type Permit,
  RateLimiter,
} from '../../domain/rate-limits/rate-limiter.js';
import { probeMessage, probeTokens } from '../../domain/runs/probe-requests.js';
import { probeTimeoutMs } from '../../domain/runs/probes.js';
import { createGuard, type Guard } from '../adapters/guard.js';
import { endpointUrl, keyFor, type EndpointKeys } from '../adapters/model-apis/endpoint.js';

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

/** A call that is refused so often in a row, while others are accepted, seems to be refused for itself. */
const refusalsToLeave = 2;
/** After so many refusals in a row without any accepted call, a probe tells whether others would be. */
const refusalsToProbe = 3;
/** A call that is refused while others are accepted leaves the queue for so long: its limit may be one of a minute. */
const refusedPauseMs = 20_000;

/** What a worker knows of one provider account. */
interface KnownAccount extends Account {
  readonly limiter: AccountLimiter;
  readonly guard: Guard;
  /** The provider's words of the latest refusal. */
  lastRefusal: string | null;
}

/**
 * The fourth link of a model call: it waits until the rate limiter of the account permits the call, and waits again after a
 * 429. A call that gets no permit in time, whose account has no credit, or whose provider fails, rejects with PortFailure
 * (`ModelDeferred`). So does one that is refused again and again while others are accepted, and then it `counts`.
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
  const known = new Map<string, KnownAccount>();

  function knownAccount(request: ModelRequest): KnownAccount {
    const account = accountOf(keys, request);
    const before = known.get(account.workflowId);
    if (before) return before;
    const guard = createGuard(account.name);
    const limiter = createAccountLimiter(accounts, account, worker, guard);
    const fresh = { ...account, limiter, guard, lastRefusal: null };
    known.set(account.workflowId, fresh);
    return fresh;
  }

  return (next) => ({
    complete: (request, signal, report) => {
      const account = knownAccount(request);
      const probe = (): Promise<ModelReply> =>
        next.complete(smallestRequest(request), AbortSignal.timeout(probeTimeoutMs));
      const work = (): Promise<ModelReply> =>
        completeLimited(next, account, request, probe, signal, report);
      return request.isProbe ? account.guard.anew(work) : account.guard.through(work, probe);
    },
  });

  async function completeLimited(
    next: ModelPort,
    account: KnownAccount,
    request: ModelRequest,
    probe: () => Promise<ModelReply>,
    signal: AbortSignal,
    report: ReportStage | undefined,
  ): Promise<ModelReply> {
    const { limiter, guard } = account;
    const call = callOf(request, performance.now() + maxWaitMs);
    report?.('waits for its turn');
    let outcome = await limiter.wait(call, signal);
    let acceptedAtFirst = 0;
    for (let refusals = 1; ; refusals += 1) {
      if ('reason' in outcome) throw deferralFailure(outcome, account);
      report?.('calls the model');
      const sent = await send(next, request, signal, limiter, outcome, report);
      if (!(sent instanceof PortFailure)) return sent;
      if (refusals === 1) acceptedAtFirst = limiter.acceptedCalls();
      const others = limiter.acceptedCalls() > acceptedAtFirst;
      const isSpent = sent.type === 'ModelQuotaSpent';
      const isToProbe = isSpent || refusals % refusalsToProbe === 0;
      const isAlone =
        (others && refusals >= refusalsToLeave) || (isToProbe && (await isAnswered(guard, probe)));
      if (isAlone) throw refusedAlone(sent);
      if (isSpent) {
        limiter.record((one, nowMs) => one.quotaSpent(nowMs));
        throw new PortFailure('ModelDeferred', sent.message, { reason: 'quota' });
      }
      account.lastRefusal = sent.message;
      report?.('waits for its turn');
      outcome = await limiter.waitAgain(call, signal);
    }
  }
}

/** A probe that is itself refused for its limits says nothing of the request. */
async function isAnswered(guard: Guard, probe: () => Promise<ModelReply>): Promise<boolean> {
  let isRefused = false;
  const answers = await guard.answers(() =>
    probe().catch((error: unknown) => {
      isRefused = error instanceof PortFailure && isRefusal(error);
      throw error;
    }),
  );
  return answers && !isRefused;
}

/** What counts towards the account's limit of tokens: Anthropic leaves out what it reads from its cache. */
const limitedTokens = ({ api }: ModelRequest, { tokens }: ModelReply): ModelReply['tokens'] =>
  tokens && api === 'anthropic' ? { ...tokens, prompt: tokens.prompt - tokens.cached } : tokens;

/** The reply, or the refusal of the call for the account's limits or its credit. Throws other failures. */
async function send(
  next: ModelPort,
  request: ModelRequest,
  signal: AbortSignal,
  limiter: AccountLimiter,
  permit: Permit,
  report: ReportStage | undefined,
): Promise<ModelReply | PortFailure> {
  try {
    const reply = await next.complete(request, signal);
    limiter.record((one, nowMs) =>
      one.accepted(permit, limitedTokens(request, reply), reply.rateLimit, nowMs),
    );
    return reply;
  } catch (error) {
    const failure = error instanceof PortFailure ? error : null;
    limiter.record((one, nowMs) => recordFailure(one, permit, failure, nowMs));
    if (failure !== null) report?.('calls the model', failure);
    if (failure !== null && isRefusal(failure)) return failure;
    throw error;
  }
}

const isRefusal = ({ type }: PortFailure): boolean =>
  type === 'ModelRateLimited' || type === 'ModelQuotaSpent';

function recordFailure(
  limiter: RateLimiter,
  permit: Permit,
  failure: PortFailure | null,
  nowMs: number,
): void {
  const { type, options: { rateLimit, retryAfterMs } = {} } = failure ?? {};
  if (type === undefined) limiter.ended(rateLimit, nowMs);
  else if (type === 'ModelRateLimited') limiter.refused(permit, rateLimit, retryAfterMs, nowMs);
  else if (type === 'ModelUnavailable') limiter.failed(rateLimit, nowMs);
  else limiter.rejected(permit, rateLimit, nowMs);
}

/** The smallest request that its model takes, with the settings of the request. */
function smallestRequest(request: ModelRequest): ModelRequest {
  const { tools, replySchema, ...settings } = request;
  return {
    ...settings,
    messages: [{ role: 'user', content: probeMessage }],
    maxTokens: Math.min(request.maxTokens, probeTokens),
    timeoutMs: Math.min(request.timeoutMs, probeTimeoutMs),
  };
}

function callOf(request: ModelRequest, deadlineMs: number): Call {
  const { run = '', messages, tools, maxTokens, concurrency = 'fixed' } = request;
  const characters = messages
    .flatMap(({ content }) => partsOf(content))
    .map((part) => (part.type === 'text' ? part.text.length : pictureCharacters))
    .reduce((sum, count) => sum + count, tools === undefined ? 0 : JSON.stringify(tools).length);
  return { run, characters, maxCompletion: maxTokens, concurrency, deadlineMs };
}

function deferralFailure(
  { reason, retryAfterMs }: Deferral,
  { name, lastRefusal }: KnownAccount,
): PortFailure {
  if (reason === 'quota') {
    const message = `${name}: the account's credit is spent: add credit, then resume the run.`;
    return new PortFailure('ModelDeferred', message, { reason });
  }
  const message =
    lastRefusal ??
    `${name}: the provider's limits leave no room for the call at the moment: it is tried again later.`;
  return new PortFailure('ModelDeferred', message, {
    reason,
    ...(retryAfterMs !== null && { retryAfterMs }),
  });
}

/** Other calls are accepted: what is refused is this one. */
const refusedAlone = ({ type, message, options: { retryAfterMs = 0 } }: PortFailure): PortFailure =>
  new PortFailure('ModelDeferred', `${message} Other calls to it are accepted.`, {
    reason: type === 'ModelQuotaSpent' ? 'quota' : 'rate-limit',
    outage: type,
    retryAfterMs: Math.max(retryAfterMs, refusedPauseMs),
    counts: true,
  });

/** Node's timers cannot wait longer than 24 days, so a longer wait is divided. */
const longestTimerMs = 60_000;
const reportEveryMs = 3000;

/** The rate limiter of one account: runs a RateLimiter on the clock and timers of this process. */
interface AccountLimiter {
  /** Resolves when the call may be sent or is deferred. Rejects with the signal's reason if that aborts first. */
  readonly wait: (call: Call, signal: AbortSignal) => Promise<Permit | Deferral>;
  /** The same for a call that the provider has refused. */
  readonly waitAgain: (call: Call, signal: AbortSignal) => Promise<Permit | Deferral>;
  /** Records the end of a call that was sent. */
  readonly record: (end: (limiter: RateLimiter, nowMs: number) => void) => void;
  /** The number of calls that the account has accepted so far. */
  readonly acceptedCalls: () => number;
}

/**
 * It reports to the coordinator of the account's workers at the first call, and then every few seconds until there are no
 * more calls.
 * @param worker - the name of this worker among them
 * @param guard - whose outages the workers tell each other
 */
export function createAccountLimiter(
  accounts: AccountsPort,
  account: Account,
  worker: string,
  guard: Pick<Guard, 'outage' | 'learn'>,
): AccountLimiter {
  const limiter = new RateLimiter(performance.now());
  const waiting = new Map<Call, (outcome: Permit | Deferral) => void>();
  let wakeTimer: NodeJS.Timeout | undefined;

  const record: AccountLimiter['record'] = (end) => {
    end(limiter, performance.now());
    serve();
  };
  const reportSoon = reporting(accounts, account, worker, limiter, guard, serve);

  function serve(): void {
    const nowMs = performance.now();
    const { permits, deferrals, wakeAtMs } = limiter.serve(nowMs);
    for (const outcome of [...permits, ...deferrals]) {
      waiting.get(outcome.call)?.(outcome);
      waiting.delete(outcome.call);
    }
    clearTimeout(wakeTimer);
    if (wakeAtMs === null) return;
    const ms = Math.min(Math.ceil(wakeAtMs - nowMs), longestTimerMs);
    wakeTimer = setTimeout(serve, Math.max(1, ms));
  }

  async function enter(
    call: Call,
    signal: AbortSignal,
    enqueue: () => void,
  ): Promise<Permit | Deferral> {
    signal.throwIfAborted();
    let leave: (() => void) | undefined;
    try {
      return await new Promise((resolve, reject) => {
        leave = () => {
          waiting.delete(call);
          record(() => limiter.leave(call));
          reject(signal.reason as Error);
        };
        signal.addEventListener('abort', leave);
        waiting.set(call, resolve);
        enqueue();
        serve();
      });
    } finally {
      if (leave !== undefined) signal.removeEventListener('abort', leave);
    }
  }

  return {
    wait: (call, signal) => {
      const outcome = enter(call, signal, () => limiter.join(call));
      reportSoon();
      return outcome;
    },
    waitAgain: (call, signal) => enter(call, signal, () => limiter.rejoin(call)),
    record,
    acceptedCalls: () => limiter.acceptedCalls,
  };
}

/** Returns a function that starts the reports, unless they are running. */
function reporting(
  accounts: AccountsPort,
  account: Account,
  worker: string,
  limiter: RateLimiter,
  guard: Pick<Guard, 'outage' | 'learn'>,
  serve: () => void,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isReporting = false;
  /** A worker without a share: it is new or was idle, and others may use its former share. It reports no estimates. */
  let hasNoShare = false;

  async function report(): Promise<void> {
    if (isReporting) return;
    isReporting = true;
    const current = { ...limiter.report(worker, performance.now()), outage: guard.outage() };
    const withEstimates = !hasNoShare;
    if (isIdle(current)) {
      clearInterval(timer);
      timer = undefined;
    }
    const share = await accounts
      .report(account, withEstimates ? current : withoutEstimates(current))
      // Without a coordinator, local estimates are used.
      .catch(() => null);
    if (!withEstimates && share !== null) hasNoShare = false;
    limiter.applyShare(share ?? localEstimates, performance.now());
    guard.learn(share?.outage ?? null);
    serve();
    isReporting = false;
  }

  return () => {
    if (timer !== undefined) return;
    timer = setInterval(() => void report(), reportEveryMs).unref();
    hasNoShare = true;
    void report();
  };
}

const withoutEstimates = (report: AccountReport): AccountReport => ({
  ...report,
  requests: { ...report.requests, estimated: null },
  tokens: { ...report.tokens, estimated: null },
});

const isIdle = ({ accepted, refused, waiting, inFlight }: AccountReport): boolean =>
  accepted + refused + waiting + inFlight === 0;
