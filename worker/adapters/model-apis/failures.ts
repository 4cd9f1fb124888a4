import { PortFailure } from '../../../activities/ports/port-failure.js';
import { apiFacts, type ModelApi } from '../../../domain/model-api.js';
import {
  classifyError,
  readProviderError,
  refusesPictures,
  refusesTools,
  type ProviderError,
  type Refusal,
} from '../../../domain/models/provider-errors.js';
import {
  readRateLimitBody,
  dailyFromMs,
  readRateLimit,
  retryAfterMs,
  type StatedRefusal,
} from '../../../domain/rate-limits/stated-limits.js';
import { BrokenOff } from '../http/exchange.js';

/** The parts of a request that the messages of its failures use. */
export interface Asked {
  readonly api: ModelApi;
  readonly baseUrl: string;
  readonly model: string;
  readonly timeoutMs: number;
  /** Whether the configured key was sent, or only a placeholder. */
  readonly keySent: boolean;
  /** The key and the texts of the request. No message may repeat them. */
  readonly secrets: readonly string[];
  /** Whether there are pictures among the messages. */
  readonly images: boolean;
  /** Whether the model was offered tools. */
  readonly tools: boolean;
}

/** Of a gateway that lost the server behind it after it had sent the request on. */
const lostBehindGateway = [502, 504, 520, 524];

/**
 * A reply with an error status. It has no `cause`, which could quote all of the provider's message.
 * @param body - as JSON, or the text of a body that is none
 */
export function statusFailure(
  {
    status,
    body,
    headers,
    mayBePaid = lostBehindGateway.includes(status),
  }: {
    readonly status: number;
    readonly body: unknown;
    readonly headers: Headers;
    readonly mayBePaid?: boolean;
  },
  asked: Asked,
): PortFailure {
  const now = Date.now();
  const error = readProviderError(status, body);
  const { limitTokens, remainingTokens } = readRateLimit((name) => headers.get(name), now) ?? {};
  const hasWholeLimit = limitTokens !== undefined && remainingTokens === limitTokens;
  const type = classifyError(error, { ...asked, hasWholeLimit });
  // A message about a refused key usually quotes the key.
  const mayQuote = type !== 'ModelRefusedKey' || (status === 403 && !/key|\*/i.test(error.words));
  const quote = mayQuote ? quoteSafely(error.words, asked.secrets) : '';
  const code = error.codes.find((one) => /^[a-z][\w.-]{1,60}$/i.test(one)) ?? '';
  const seen = [status, code, quote].filter((part) => part !== '').join(' ');
  const { isDaily, ...refusal } = type === 'ModelRateLimited' ? readRateLimitBody(body, now) : {};
  const said = saidOfLimits(headers, refusal);
  const waitMs = said.retryAfterMs ?? 0;
  const sentence =
    status >= 300 && status < 400
      ? redirectSentence(status, headers.get('location'), asked)
      : type === 'ModelRateLimited' && (isDaily || waitMs >= dailyFromMs)
        ? `has a limit of a day, which is reached (${seen}): ${endOf(waitMs, now)}`
        : sentenceOf(type, seen, error, asked);
  return new PortFailure(type, `${nameOf(asked)} ${sentence}.`, {
    ...said,
    ...(type === 'ModelRefusedKey' && { keyMissing: !asked.keySent }),
    ...(mayBePaid && { mayBePaid }),
  });
}

const endOf = (waitMs: number, now: number): string =>
  waitMs > 0
    ? `it ends at ${new Date(now + waitMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`
    : 'when it ends is not said';

/** Where a redirection leads to, without a query, which may hold a secret. */
function redirectSentence(status: number, location: string | null, asked: Asked): string {
  const isUrl = location !== null && URL.canParse(location, asked.baseUrl);
  const url = isUrl ? new URL(location, asked.baseUrl) : null;
  const { path } = apiFacts[asked.api];
  const target = url && quoteSafely(`${url.origin}${url.pathname}`, asked.secrets).slice(1, -1);
  if (!target) return `redirects to another address (${status}): give that one as the base URL`;
  const at = target.lastIndexOf(path);
  const hint =
    at > 0 ? `give ${target.slice(0, at)} as the base URL` : 'check that the base URL is of an API';
  return `redirects to another address (${status}, ${target}): ${hint}`;
}

/** No reply, or an incomplete one. */
export function connectionFailure(error: unknown, asked: Asked): PortFailure {
  const cause = systemError(error);
  const seen = cause === undefined ? '' : ` (${cause.code})`;
  return error instanceof BrokenOff
    ? brokenOffFailure(seen, asked, cause)
    : new PortFailure(
        'ModelUnavailable',
        `${nameOf(asked)} cannot be reached${seen}: check the base URL and that the server runs.`,
        { cause },
      );
}

/** The request was sent, and no whole reply came. @param seen - a code, or what came, in brackets after a blank */
export const brokenOffFailure = (seen: string, asked: Asked, cause?: unknown): PortFailure =>
  new PortFailure(
    'ModelUnavailable',
    `${nameOf(asked)} broke the connection${seen} after the request was sent, which may have been paid.`,
    { cause, mayBePaid: true },
  );

/** The reply would have filled the memory of the worker. */
export const tooLongFailure = (asked: Asked, mostBytes: number): PortFailure =>
  new PortFailure(
    'ModelRepliedNonsense',
    `${nameOf(asked)} sent a reply of more than ${mostBytes / 2 ** 20} MiB: check that it is a model's endpoint.`,
    { mayBePaid: true },
  );

export const timeOutFailure = (asked: Asked): PortFailure =>
  new PortFailure(
    'ModelUnavailable',
    `${nameOf(asked)} did not answer within ${asked.timeoutMs} ms: the endpoint is overloaded, or the time-out too short.`,
    { mayBePaid: true },
  );

/** A reply with a success status that is not what was requested. `seen` continues the sentence "The endpoint …". */
export const nonsenseFailure = (seen: string, headers: Headers, asked: Asked): PortFailure =>
  new PortFailure('ModelRepliedNonsense', `${nameOf(asked)} ${seen}.`, saidOfLimits(headers));

/** The rate limits and the waiting time that a reply states. What its headers say is more exact than its body. */
function saidOfLimits(
  headers: Headers,
  { retryAfterMs: inBodyMs, ...refusal }: StatedRefusal = {},
): Pick<PortFailure['options'], 'retryAfterMs' | 'rateLimit'> {
  const header = (name: string): string | null => headers.get(name);
  const now = Date.now();
  const afterMs = retryAfterMs(header, now) ?? inBodyMs;
  const rateLimit = { ...readRateLimit(header, now), ...refusal };
  return {
    ...(afterMs !== undefined && { retryAfterMs: afterMs }),
    ...(Object.keys(rateLimit).length > 0 && { rateLimit }),
  };
}

function sentenceOf(type: Refusal, seen: string, error: ProviderError, asked: Asked): string {
  if (type === 'ModelRejectedRequest' && refusesPictures(error, asked))
    return `takes no pictures (${seen}): choose a model that sees, or a method without ViewImage`;
  if (type === 'ModelRejectedRequest' && refusesTools(error, asked))
    return `takes no tools (${seen}): choose another --action-format`;
  if (type === 'ModelUnavailable' && error.isPage)
    return `did not answer itself: a firewall or proxy before it sent a web page (${seen})`;
  return sentences[type](seen, asked);
}

const sentences: Record<Refusal, (seen: string, asked: Asked) => string> = {
  ContextOverflow: (seen) =>
    `says that the messages exceed the model's context (${seen}): use a smaller window or a model with a longer context`,
  ModelModerated: (seen) => `has a moderation that refuses this request (${seen})`,
  ModelQuotaSpent: (seen) =>
    `says that the account's credit is spent (${seen}): add credit, then resume the run`,
  ModelRateLimited: (seen) => `asks for fewer requests (${seen}): the call is tried again later`,
  ModelRefusedKey: (seen, { keySent, api }) =>
    keySent
      ? `refused the API key (${seen}): check ${apiFacts[api].keyVariable}`
      : `wants an API key (${seen}), and none is configured for this address: set ${apiFacts[api].keyVariable}, and ${apiFacts[api].addressVariable} to this address`,
  ModelRejectedRequest: (seen) =>
    `rejected the request (${seen}): check that the model takes these settings`,
  ModelRequestTooLarge: (seen) =>
    `says that this request alone is larger than a limit of the account (${seen}): use a smaller window or have the limit raised`,
  ModelUnknown: (seen, { api }) =>
    `knows no such model or address (${seen}): check the model's name, and that the base URL is what precedes ${apiFacts[api].path}`,
  ModelUnavailable: (seen) => `cannot answer now (${seen})`,
};

/** The base URL without user name, password and query, which may be secrets. */
function nameOf({ baseUrl, model }: Asked): string {
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname} (model ${model})`;
}

/** The innermost cause with a code, e.g. ECONNREFUSED. It names the address, not the request. */
function systemError(error: unknown): (Error & { readonly code: string }) | undefined {
  if (!(error instanceof Error)) return undefined;
  const inner = systemError(error.cause);
  if (inner !== undefined) return inner;
  return 'code' in error && typeof error.code === 'string'
    ? (error as Error & { readonly code: string }) // Just checked.
    : undefined;
}

const longestQuote = 200;
/** A quote that shares a piece of this length with a secret repeats the secret. */
const pieceLength = 16;

/**
 * A provider's message as a quote for a failure, which enters the history: one line, cut, in quotation marks. Empty if it
 * repeats a piece of `secrets`, since providers may quote the key or the request that they refuse.
 */
export function quoteSafely(message: string, secrets: readonly string[]): string {
  const quote = oneLine(message).slice(0, longestQuote);
  const repeatsSecret = secrets
    .map(oneLine)
    .some((secret) =>
      secret.length < pieceLength
        ? secret !== '' && quote.includes(secret)
        : piecesOf(quote).some((piece) => secret.includes(piece)),
    );
  return quote === '' || repeatsSecret ? '' : `"${quote}"`;
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

const piecesOf = (text: string): readonly string[] =>
  Array.from({ length: Math.max(0, text.length - pieceLength + 1) }, (_, start) =>
    text.slice(start, start + pieceLength),
  );
