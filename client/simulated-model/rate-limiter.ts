export interface RateLimits {
  readonly requestsPerMinute: number | undefined;
  readonly tokensPerMinute: number | undefined;
  /** How many seconds' worth of a limit may be used at once after a rest. */
  readonly burstSeconds: number;
}

export type Admission =
  { readonly kind: 'admitted' } | { readonly kind: 'refused'; readonly waitMs: number };

export interface RateLimiter {
  /** Charges both limits, or neither. Times may come from any clock that does not go back. */
  readonly admit: (tokens: number, nowMs: number) => Admission;
  /** The `x-ratelimit-*` headers as OpenAI sends them. */
  readonly headers: (nowMs: number) => Readonly<Record<string, string>>;
}

/** Leaky buckets, one a limit: what is refused costs nothing. */
export function createRateLimiter(limits: RateLimits, startMs: number): RateLimiter {
  const { requestsPerMinute, tokensPerMinute, burstSeconds } = limits;
  const requests = bucketOf(requestsPerMinute, burstSeconds, startMs);
  const tokens = bucketOf(tokensPerMinute, burstSeconds, startMs);
  return {
    admit: (cost, nowMs) => {
      const waitMs = Math.max(waitFor(requests, 1, nowMs), waitFor(tokens, cost, nowMs));
      if (waitMs > 0) return { kind: 'refused', waitMs };
      take(requests, 1, nowMs);
      take(tokens, cost, nowMs);
      return { kind: 'admitted' };
    },
    headers: (nowMs) => ({
      ...headersOf('requests', requests, nowMs),
      ...headersOf('tokens', tokens, nowMs),
    }),
  };
}

interface Bucket {
  readonly perMinute: number;
  readonly capacity: number;
  level: number;
  atMs: number;
}

function bucketOf(perMinute: number | undefined, burstSeconds: number, atMs: number) {
  if (perMinute === undefined) return undefined;
  const capacity = Math.max(1, (perMinute * burstSeconds) / 60);
  return { perMinute, capacity, level: capacity, atMs } satisfies Bucket;
}

const levelAt = ({ perMinute, capacity, level, atMs }: Bucket, nowMs: number): number =>
  Math.min(capacity, level + ((nowMs - atMs) * perMinute) / 60_000);

/** A request larger than the bucket is admitted by a full one and leaves it in debt: else it would wait for ever. */
function waitFor(bucket: Bucket | undefined, cost: number, nowMs: number): number {
  if (bucket === undefined) return 0;
  const missing = Math.min(cost, bucket.capacity) - levelAt(bucket, nowMs);
  return missing <= 1e-9 ? 0 : Math.ceil((missing * 60_000) / bucket.perMinute);
}

function take(bucket: Bucket | undefined, cost: number, nowMs: number): void {
  if (bucket === undefined) return;
  bucket.level = levelAt(bucket, nowMs) - cost;
  bucket.atMs = nowMs;
}

function headersOf(name: string, bucket: Bucket | undefined, nowMs: number) {
  if (bucket === undefined) return {};
  const level = levelAt(bucket, nowMs);
  const fullInMs = ((bucket.capacity - level) * 60_000) / bucket.perMinute;
  return {
    [`x-ratelimit-limit-${name}`]: String(bucket.perMinute),
    [`x-ratelimit-remaining-${name}`]: String(Math.max(0, Math.floor(level))),
    [`x-ratelimit-reset-${name}`]: `${(fullInMs / 1000).toFixed(3)}s`,
  };
}
