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
