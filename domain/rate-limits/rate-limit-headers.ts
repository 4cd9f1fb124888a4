/** What a provider says of its limits in a reply. What it does not say is left out. */
export interface RateLimit {
  /** What a call was refused for. */
  readonly exceeded?: 'requests' | 'tokens';
  /** Requests a minute, usually. */
  readonly limitRequests?: number;
  readonly remainingRequests?: number;
  /** Milliseconds until all of them are there again. */
  readonly resetRequestsMs?: number;
  readonly limitTokens?: number;
  readonly remainingTokens?: number;
  readonly resetTokensMs?: number;
}

const kinds = [
  ['requests', 'limitRequests', 'remainingRequests', 'resetRequestsMs'],
  ['tokens', 'limitTokens', 'remainingTokens', 'resetTokensMs'],
] as const;

/**
 * Reads the headers of OpenAI and those who write like it (`x-ratelimit-limit-requests`; resets such as `6m0.5s`, or
 * seconds), and of Anthropic (`anthropic-ratelimit-requests-limit`; resets as points in time).
 * `undefined` where there is none of them.
 */
export function readRateLimit(
  header: (name: string) => string | null,
  nowMs: number,
): RateLimit | undefined {
  const entries = kinds.flatMap(([kind, limit, remaining, reset]) => {
    const said = (what: string): string | null =>
      header(`x-ratelimit-${what}-${kind}`) ?? header(`anthropic-ratelimit-${kind}-${what}`);
    return [
      [limit, count(said('limit'))],
      [remaining, count(said('remaining'))],
      [reset, waitMs(said('reset'), nowMs)],
    ] as const;
  });
  const known = entries.filter(([, value]) => value !== undefined);
  return known.length === 0 ? undefined : Object.fromEntries(known);
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
  const said = text?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(said)) return Math.ceil(Number(said) * 1000);
  if (/^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/.test(said)) {
    const at = Date.parse(said);
    return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
  }
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(said)) return undefined;
  const parts = [...said.matchAll(piece)];
  return Math.ceil(
    parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (unitMs[unit ?? ''] ?? 0), 0),
  );
}

/** Longest pause taken on a provider's word; past it the next attempt asks again. */
export const maxRetryAfterMs = 3_600_000;

const decimal = /^\d+(\.\d+)?$/;
/** The one date format of RFC 9110 that senders may use; `Date.parse` alone would take almost any text. */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * How long a reply's headers ask us to wait: `retry-after-ms`, else `retry-after` in seconds or as an HTTP date.
 * `undefined` where nothing usable was said, also for zero and for moments that have passed.
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
