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
