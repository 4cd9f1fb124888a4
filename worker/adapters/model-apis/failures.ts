import { PortFailure } from '../../../activities/ports/port-failure.js';
import { apiFacts, type ModelApi } from '../../../domain/model-api.js';
import {
  readRateLimitBody,
  type StatedRefusal,
} from '../../../domain/rate-limits/rate-limit-body.js';
import { readRateLimit, retryAfterMs } from '../../../domain/rate-limits/rate-limit-headers.js';
import { readErrorBody } from './error-body.js';

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

type Refusal =
  | 'ContextOverflow'
  | 'ModelQuotaSpent'
  | 'ModelRateLimited'
  | 'ModelRefusedKey'
  | 'ModelRejectedRequest'
  | 'ModelUnavailable'
  | 'ModelUnknown';

/**
 * A reply with an error status. It has no `cause`, which could quote all of the provider's message.
 * @param body - as JSON; undefined if it is none
 */
export function statusFailure(
  {
    status,
    body,
    headers,
  }: { readonly status: number; readonly body: unknown; readonly headers: Headers },
  asked: Asked,
): PortFailure {
  const { codes, words } = readErrorBody(body);
  const type = refusalOf(status, codes, words, asked);
  // A message about a refused key usually quotes the key.
  const quote = type === 'ModelRefusedKey' ? '' : quoteSafely(words, asked.secrets);
  const code = codes.find((one) => /^[a-z][\w.-]{1,60}$/i.test(one)) ?? '';
  const seen = [status, code, quote].filter((part) => part !== '').join(' ');
  const refusal = type === 'ModelRateLimited' ? readRateLimitBody(body) : {};
  return new PortFailure(type, `${nameOf(asked)} ${sentenceOf(type, seen, words, asked)}.`, {
    ...saidOfLimits(headers, refusal),
    ...(type === 'ModelRefusedKey' && { keyMissing: !asked.keySent }),
  });
}

/** No reply, or an incomplete one. */
export function connectionFailure(error: unknown, asked: Asked): PortFailure {
  const cause = systemError(error);
  const seen = cause === undefined ? '' : ` (${cause.code})`;
  return new PortFailure(
    'ModelUnavailable',
    `${nameOf(asked)} cannot be reached or broke the connection${seen}: check the base URL and that the server runs.`,
    { cause },
  );
}

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

const quotaCodes = ['insufficient_quota', 'billing_hard_limit_reached', 'billing_not_active'];
/** Anthropic has no code for it. */
const quotaWords = /credit balance is too low/i;
/** Gemini answers 400. */
const keyCodes = ['API_KEY_INVALID'];
/** Of OpenAI and llama.cpp. */
const overflowCodes = ['context_length_exceeded', 'exceed_context_size_error'];
/** For vLLM, SGLang, TGI, Mistral, Anthropic and Gemini, which send no code. */
const overflowWords =
  /(maximum|model's|available) context (length|size)|maximum model length|prompt is too long|exceeds? (the )?(context limit|context window|maximum number of tokens)|max_new_tokens. must be <=/i;

function refusalOf(status: number, codes: readonly string[], words: string, asked: Asked): Refusal {
  const isSpent = codes.some((code) => quotaCodes.includes(code)) || quotaWords.test(words);
  if (status === 402 || isSpent) return 'ModelQuotaSpent';
  const isWrongKey = codes.some((code) => keyCodes.includes(code));
  if (status === 401 || status === 403 || isWrongKey) return 'ModelRefusedKey';
  // OpenRouter has a 404 for a known model that takes no pictures.
  const isUnknown = status === 404 && !refusesPictures(words, asked) && !refusesTools(words, asked);
  if (isUnknown || (status >= 300 && status < 400)) return 'ModelUnknown';
  if (status === 429) return 'ModelRateLimited';
  if (status === 408 || status === 409 || status >= 500) return 'ModelUnavailable';
  const overflow = codes.some((code) => overflowCodes.includes(code)) || overflowWords.test(words);
  return overflow ? 'ContextOverflow' : 'ModelRejectedRequest';
}

// Refused pictures and tools have no code, and are recognised by the provider's message.
const refusesPictures = (words: string, { images }: Asked): boolean =>
  images && /image|vision|multi-?modal/i.test(words);
const refusesTools = (words: string, { tools }: Asked): boolean =>
  tools && /\btools?\b|function.call/i.test(words);

function sentenceOf(type: Refusal, seen: string, words: string, asked: Asked): string {
  if (type === 'ModelRejectedRequest' && refusesPictures(words, asked))
    return `takes no pictures (${seen}): choose a model that sees, or a method without ViewImage`;
  if (type === 'ModelRejectedRequest' && refusesTools(words, asked))
    return `takes no tools (${seen}): choose another --action-format`;
  return sentences[type](seen, asked);
}

const sentences: Record<Refusal, (seen: string, asked: Asked) => string> = {
  ContextOverflow: (seen) =>
    `says that the messages exceed the model's context (${seen}): use a smaller window or a model with a longer context`,
  ModelQuotaSpent: (seen) =>
    `says that the account's credit is spent (${seen}): add credit, then resume the run`,
  ModelRateLimited: (seen) => `asks for fewer requests (${seen}): the call is tried again later`,
  ModelRefusedKey: (seen, { keySent, api }) =>
    keySent
      ? `refused the API key (${seen}): check ${apiFacts[api].keyVariable}`
      : `wants an API key (${seen}), and none is configured for this address: set ${apiFacts[api].keyVariable}, and ${apiFacts[api].addressVariable} to this address`,
  ModelRejectedRequest: (seen) =>
    `rejected the request (${seen}): check that the model takes these settings`,
  ModelUnknown: (seen, { api }) =>
    seen.startsWith('3')
      ? `redirects to another address (${seen}): give that one as the base URL`
      : `knows no such model or address (${seen}): check the model's name, and that the base URL is what precedes ${apiFacts[api].path}`,
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
