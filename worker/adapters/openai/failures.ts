import type { APIError } from 'openai';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import {
  readRateLimit,
  retryAfterMs,
  type RateLimit,
} from '../../../domain/rate-limits/rate-limit-headers.js';

/** The parts of a request that the messages of its failures use. */
export interface Asked {
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

/** A reply with an error status. It has no `cause`, since the library's error quotes all of the provider's message. */
export function statusFailure(error: APIError, asked: Asked): PortFailure {
  const status = error.status ?? 0;
  const codes = [error.code, error.type].filter((code) => code != null).map(String);
  const words = wordsOf(error.error);
  const type = refusalOf(status, codes, words, asked);
  // A message about a refused key usually quotes the key.
  const quote = type === 'ModelRefusedKey' ? '' : quoteSafely(words, asked.secrets);
  const code = codes.find((one) => /^[a-z][\w.-]{1,60}$/i.test(one)) ?? '';
  const seen = [status, code, quote].filter((part) => part !== '').join(' ');
  const exceeded = type === 'ModelRateLimited' ? exceededLimit(codes, words) : undefined;
  return new PortFailure(type, `${nameOf(asked)} ${sentenceOf(type, seen, words, asked)}.`, {
    ...saidOfLimits(error.headers, exceeded),
    ...(type === 'ModelRefusedKey' && { keyMissing: !asked.keySent }),
  });
}

/** OpenAI names the exceeded limit in the error's type, others in its message. */
function exceededLimit(codes: readonly string[], words: string): RateLimit['exceeded'] {
  if (codes.includes('tokens') || /\btokens per (min|day)|\bTP[MD]\b/i.test(words)) return 'tokens';
  return codes.includes('requests') || /\brequests per (min|day)|\bRP[MD]\b/i.test(words)
    ? 'requests'
    : undefined;
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

/** A model's reply without text. Providers charge its reasoning, and text that a filter has removed. */
export const emptyReplyFailure = (why: string, headers: Headers, asked: Asked): PortFailure =>
  new PortFailure('ModelRepliedNonsense', `${nameOf(asked)} sent no text: ${why}.`, {
    ...saidOfLimits(headers),
    mayBePaid: true,
  });

/** The rate limits and the `retry-after` in the headers of a reply. */
function saidOfLimits(
  headers: Headers | undefined,
  exceeded?: RateLimit['exceeded'],
): Pick<PortFailure['options'], 'retryAfterMs' | 'rateLimit'> {
  const header = (name: string): string | null => headers?.get(name) ?? null;
  const now = Date.now();
  const afterMs = retryAfterMs(header, now);
  const rateLimit = readRateLimit(header, now);
  return {
    ...(afterMs !== undefined && { retryAfterMs: afterMs }),
    ...((rateLimit ?? exceeded) && { rateLimit: { ...rateLimit, ...(exceeded && { exceeded }) } }),
  };
}

const quotaCodes = ['insufficient_quota', 'billing_hard_limit_reached', 'billing_not_active'];
/** Of OpenAI and llama.cpp. */
const overflowCodes = ['context_length_exceeded', 'exceed_context_size_error'];
/** For vLLM, SGLang, TGI, Mistral, Anthropic and Gemini, which send no code. */
const overflowWords =
  /(maximum|model's|available) context (length|size)|maximum model length|prompt is too long|exceeds the maximum number of tokens|max_new_tokens. must be <=/i;

function refusalOf(status: number, codes: readonly string[], words: string, asked: Asked): Refusal {
  if (status === 402 || codes.some((code) => quotaCodes.includes(code))) return 'ModelQuotaSpent';
  if (status === 401 || status === 403) return 'ModelRefusedKey';
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
  ModelRefusedKey: (seen, { keySent }) =>
    keySent
      ? `refused the API key (${seen}): check OPENAI_API_KEY`
      : `wants an API key (${seen}), and none is configured for this address: set OPENAI_API_KEY, and OPENAI_BASE_URL to this address`,
  ModelRejectedRequest: (seen) =>
    `rejected the request (${seen}): check that the model takes these settings`,
  ModelUnknown: (seen) =>
    seen.startsWith('3')
      ? `redirects to another address (${seen}): give that one as the base URL`
      : `knows no such model or address (${seen}): check the model's name, and that the base URL is what precedes /chat/completions`,
  ModelUnavailable: (seen) => `cannot answer now (${seen})`,
};

/** The base URL without user name, password and query, which may be secrets. */
function nameOf({ baseUrl, model }: Asked): string {
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname} (model ${model})`;
}

/** The provider's message, at any place in the error's body. */
function wordsOf(body: unknown): string {
  if (typeof body === 'string') return body;
  if (typeof body !== 'object' || body === null) return '';
  if ('message' in body) return wordsOf(body.message);
  return 'error' in body ? wordsOf(body.error) : '';
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
