/** The limits that a reply states. Absent fields are not stated. */
export interface RateLimit {
  /** The limit that refused the call. */
  readonly exceeded?: 'requests' | 'tokens';
  /** That limit, in units a minute, as the body of the refusal states it. */
  readonly exceededLimit?: number;
  /** Usually requests a minute. */
  readonly limitRequests?: number;
  readonly remainingRequests?: number;
  /** Milliseconds until the whole limit is available again. */
  readonly resetRequestsMs?: number;
  readonly limitTokens?: number;
  readonly remainingTokens?: number;
  readonly resetTokensMs?: number;
}

interface Stated {
  readonly limit: number | undefined;
  readonly remaining: number | undefined;
  readonly resetMs: number | undefined;
}

/**
 * Reads the rate limit headers of OpenAI-compatible endpoints (`x-ratelimit-limit-requests`; resets such as `6m0.5s`, or
 * seconds), and of Anthropic (`anthropic-ratelimit-requests-limit`; resets as RFC 3339 times). `undefined` if there are none.
 */
export function readRateLimit(
  header: (name: string) => string | null,
  nowMs: number,
): RateLimit | undefined {
  const stated = (kind: string): Stated => {
    const valueOf = (what: string): string | null =>
      header(`x-ratelimit-${what}-${kind}`) ?? header(`anthropic-ratelimit-${kind}-${what}`);
    return {
      limit: count(valueOf('limit')),
      remaining: count(valueOf('remaining')),
      resetMs: waitMs(valueOf('reset'), nowMs),
    };
  };
  const requests = stated('requests');
  const input = stated('input-tokens');
  const tokens =
    input.limit === undefined ? stated('tokens') : tighter(input, stated('output-tokens'));
  const entries = (
    [
      ['limitRequests', requests.limit],
      ['remainingRequests', requests.remaining],
      ['resetRequestsMs', requests.resetMs],
      ['limitTokens', tokens.limit],
      ['remainingTokens', tokens.remaining],
      ['resetTokensMs', tokens.resetMs],
    ] as const
  ).filter(([, value]) => value !== undefined);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/**
 * Anthropic limits the tokens of prompts and of completions apart. Calls are paced by the limit of prompts, which are most of
 * their tokens; where a smaller part of the other one remains, it remains of this one, too.
 */
function tighter(input: Stated, output: Stated): Stated {
  const { limit = 0 } = input;
  const share = ({ limit: whole, remaining }: Stated): number =>
    whole === undefined || remaining === undefined || whole === 0 ? 1 : remaining / whole;
  return share(output) < share(input)
    ? { limit, remaining: Math.floor(limit * share(output)), resetMs: output.resetMs }
    : input;
}

function count(text: string | null): number | undefined {
  return text !== null && /^\s*\d{1,15}\s*$/.test(text) ? Number(text) : undefined;
}

const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const piece = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g;

function waitMs(text: string | null, nowMs: number): number | undefined {
  const value = text?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1000);
  if (/^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/.test(value)) {
    const at = Date.parse(value);
    return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
  }
  const ms = durationMs(value);
  return ms === undefined ? undefined : Math.ceil(ms);
}

/** Milliseconds of a duration such as `34s` or `6m0.5s`; undefined for anything else. */
export function durationMs(value: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(value)) return undefined;
  const parts = [...value.matchAll(piece)];
  return parts.reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * (unitMs[unit ?? ''] ?? 0),
    0,
  );
}

/** The longest pause that a provider can ask for. A longer one is cut to this. */
export const maxRetryAfterMs = 86_400_000;
/** A limit that asks for as long a pause is taken for one of a day. */
export const dailyFromMs = 3_600_000;

const decimal = /^\d+(\.\d+)?$/;
/** The date format that RFC 9110 requires of senders. `Date.parse` alone accepts almost any text. */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * The waiting time that a reply's headers ask for: `retry-after-ms`, else `retry-after` in seconds or as an HTTP date.
 * `undefined` if there is no valid header, or if the time is zero or past.
 */
export function retryAfterMs(
  header: (name: string) => string | null,
  nowMs: number,
): number | undefined {
  const ms = header('retry-after-ms')?.trim() ?? '';
  const after = header('retry-after')?.trim() ?? '';
  const asked = decimal.test(ms)
    ? Number(ms)
    : decimal.test(after)
      ? Number(after) * 1000
      : httpDate.test(after)
        ? Date.parse(after) - nowMs
        : 0;
  return asked > 0 ? Math.min(Math.ceil(asked), maxRetryAfterMs) : undefined;
}

/** What the body of a 429 says of the limit that refused the call. Absent fields are not stated. */
export interface StatedRefusal {
  readonly exceeded?: NonNullable<RateLimit['exceeded']>;
  /** Units a minute. A limit of a day, or of an unnamed time, is not stated. */
  readonly exceededLimit?: number;
  readonly retryAfterMs?: number;
  /** Whether it is a limit of a day. */
  readonly isDaily?: true;
}

/**
 * Reads the body of a 429 as OpenAI, Azure, Anthropic and Gemini write it: the limit and the waiting time are words of its
 * message, and with Gemini also fields.
 * @param body - the parsed JSON, or its `error`, or a text
 */
export function readRateLimitBody(body: unknown, nowMs: number): StatedRefusal {
  const { texts, delays } = wordsIn(body);
  const words = texts.join('\n');
  const exceeded = exceededLimit(words);
  const isDaily = ofDay.test(words);
  const limit = isDaily ? undefined : limitIn(words);
  const waitMs = quotaOfDay.test(words)
    ? untilMidnightMs(nowMs)
    : (delays.map(durationMs).find((ms) => ms !== undefined) ?? waitIn(words));
  return {
    ...((isDaily || (waitMs ?? 0) >= dailyFromMs) && { isDaily: true }),
    ...(exceeded && { exceeded }),
    ...(exceeded && limit !== undefined && { exceededLimit: limit }),
    ...(waitMs !== undefined &&
      waitMs > 0 && { retryAfterMs: Math.min(Math.ceil(waitMs), maxRetryAfterMs) }),
  };
}

/** OpenAI names the exceeded limit in the error's type, others in its message or in the name of a quota. */
function exceededLimit(words: string): StatedRefusal['exceeded'] {
  const tokens =
    /^tokens$|\btokens? (per|usage|rate)|\bTPM\b|\bTPD\b|\bnumber of request tokens\b|token_count|TokensPer/im;
  const requests = /^requests$|\brequests per|\b(call )?rate limit\b|\bRPM\b|\bRPD\b|RequestsPer/im;
  if (tokens.test(words)) return 'tokens';
  return requests.test(words) ? 'requests' : undefined;
}

const ofDay = /\bper[ -]day\b|\b[RT]PD\b|PerDay|\/ ?day\b|\bdaily\b|_daily\b/i;
/** The name of a quota of Google. It begins anew at midnight in California, whatever delay is stated beside it. */
const quotaOfDay = /[a-z]PerDay/;

function untilMidnightMs(nowMs: number): number {
  const clock = new Date(nowMs).toLocaleTimeString('en-GB', { timeZone: 'America/Los_Angeles' });
  const [hours = 0, minutes = 0, seconds = 0] = clock.split(':').map(Number);
  return 86_400_000 - ((hours * 60 + minutes) * 60 + seconds) * 1000;
}

/** Each with the number that follows or precedes it. */
const limits: readonly RegExp[] = [
  // OpenAI: "on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000."; earlier: "Limit: 3 / min."
  /\bLimit:? ([\d,_]+)(?=,| ?\/ ?min|\.|\s)/i,
  // Anthropic: "your organization's rate limit of 50,000 input tokens per minute"; Azure: "limit of 6 requests per minute".
  /\blimit of ([\d,]+) [a-z ]*?(?:tokens|requests) per min/i,
  // Gemini: "limit: 15" beside the name of a quota a minute.
  /\blimit: ([\d,]+)/i,
];

function limitIn(words: string): number | undefined {
  if (!/per[ -]?min|\/ ?min|\b[RT]PM\b/i.test(words)) return undefined;
  const found = limits.map((pattern) => pattern.exec(words)?.[1]).find((text) => text);
  const value = found === undefined ? 0 : Number(found.replace(/[,_]/g, ''));
  return Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

const waits = /\b(?:try again|retry) (?:in|after) ((?:\d+(?:\.\d+)?(?:ms|s|m|h|d)(?![a-z]))+)/i;
const spelled =
  /\b(?:try again|retry) (?:in|after) (\d+(?:\.\d+)?) ?(milliseconds?|seconds?|minutes?|hours?)\b/i;
const spelledMs = { millisecond: 1, second: 1000, minute: 60_000, hour: 3_600_000 };

function waitIn(words: string): number | undefined {
  const short = waits.exec(words)?.[1];
  if (short !== undefined) return durationMs(short.toLowerCase());
  const [, amount, unit = ''] = spelled.exec(words) ?? [];
  const found = Object.entries(spelledMs).find(([name]) => unit.toLowerCase().startsWith(name));
  return found && Number(amount) * found[1];
}

/** How deep and how long a body is read. */
const deepest = 6;
const longestText = 4000;

/** The texts of a body, and those in its fields `retryDelay`. */
function wordsIn(
  body: unknown,
  depth = 0,
): { readonly texts: readonly string[]; readonly delays: readonly string[] } {
  if (typeof body === 'string') return { texts: [body.slice(0, longestText)], delays: [] };
  if (typeof body !== 'object' || body === null || depth > deepest)
    return { texts: [], delays: [] };
  const found = Object.entries(body).map(([name, value]: [string, unknown]) =>
    name === 'retryDelay' && typeof value === 'string'
      ? { texts: [], delays: [value] }
      : name === 'quotaValue' && typeof value === 'string'
        ? { texts: [`limit: ${value}`], delays: [] }
        : wordsIn(value, depth + 1),
  );
  return {
    texts: found.flatMap(({ texts }) => texts),
    delays: found.flatMap(({ delays }) => delays),
  };
}
