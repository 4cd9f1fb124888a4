import { dailyFromMs, durationMs, maxRetryAfterMs, type RateLimit } from './rate-limit-headers.js';

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
