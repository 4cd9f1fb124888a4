import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { SimulatedApi, SimulatedError } from './apis/simulated-api.js';
import type { Refused } from './rate-limiter.js';
import { faultNames, type FaultName, type SimulatorOptions } from './simulator-options.js';

/** `Retry-After` in whole seconds, as HTTP requires, and the exact time in milliseconds. */
export const retryAfterHeaders = (waitMs: number): Readonly<Record<string, string>> => ({
  'retry-after': String(Math.ceil(waitMs / 1000)),
  'retry-after-ms': String(Math.ceil(waitMs)),
});

/** A number in [0, 1) that depends only on its arguments, so that a run does not depend on the order of requests. */
export function seededDraw(...parts: readonly (string | number)[]): number {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest();
  return digest.readUIntBE(0, 6) / 2 ** 48;
}

/** The fault of the `attempt`-th admitted request with this content. It is the same in every run with the same seed. */
export function chooseFault(
  { seed, faults }: Pick<SimulatorOptions, 'seed' | 'faults'>,
  requestKey: string,
  attempt: number,
): FaultName | undefined {
  let draw = seededDraw(seed, 'fault', requestKey, attempt);
  return faultNames.find((name) => (draw -= faults[name] ?? 0) < 0);
}

/** The latency of the reply to the `attempt`-th request with this content. */
export function latencyMsOf(
  { seed, latencyMs, jitter }: Pick<SimulatorOptions, 'seed' | 'latencyMs' | 'jitter'>,
  requestKey: string,
  attempt: number,
): number {
  const deviation = 2 * seededDraw(seed, 'latency', requestKey, attempt) - 1;
  return latencyMs * (1 + jitter * deviation);
}

interface FaultyCall {
  readonly api: SimulatedApi;
  readonly context: Context<{ Bindings: HttpBindings }>;
  readonly headers: Readonly<Record<string, string>>;
  readonly retryAfter: Readonly<Record<string, string>>;
  /** What `retryAfter` says; undefined if nothing is said. */
  readonly waitMs: number | undefined;
  /** The completion that would have been sent without the fault, but with this content. */
  readonly completion: (content: string | null) => object;
}

/** The response that each fault sends. */
export const faultReply: Readonly<
  Record<FaultName, (call: FaultyCall) => Response | Promise<Response>>
> = {
  '429': (call) => refusal(call, rateLimitError('requests', call.waitMs)),
  '500': (call) =>
    refusal(call, {
      status: 500,
      message: 'A simulated internal error.',
      type: 'server_error',
      code: null,
    }),
  '503': (call) =>
    refusal(call, {
      status: call.api.overloadStatus,
      message: 'A simulated overload.',
      type: 'server_error',
      code: 'overloaded',
    }),
  reset: ({ context }) => {
    context.env.incoming.socket.resetAndDestroy();
    return RESPONSE_ALREADY_SENT;
  },
  hang: async ({ context }) => {
    const { signal } = context.req.raw;
    if (!signal.aborted) await once(signal, 'abort');
    return RESPONSE_ALREADY_SENT;
  },
  'malformed-json': ({ context, headers, completion }) => {
    const whole = JSON.stringify(completion('cut'));
    return context.body(whole.slice(0, whole.length / 2), 200, {
      ...headers,
      'content-type': 'application/json',
    });
  },
  html: ({ context, headers }) =>
    context.html('<!DOCTYPE html><html><body>A simulated proxy page.</body></html>', 200, headers),
  'empty-content': ({ context, headers, completion }) => context.json(completion(''), 200, headers),
  'null-content': ({ context, headers, completion }) =>
    context.json(completion(null), 200, headers),
};

/** A 500 names no time to wait. */
const refusal = (
  { api, context, headers, retryAfter }: FaultyCall,
  error: SimulatedError,
): Response =>
  context.json(api.error(error), error.status as ContentfulStatusCode, {
    ...headers,
    ...(error.status !== 500 && retryAfter),
  });

/** A 429, whether a limit or a fault caused it. */
export const rateLimitError = (
  by: 'requests' | 'tokens',
  waitMs: number | undefined,
  stated = '',
): SimulatedError => ({
  status: 429,
  message: `Rate limit reached for the simulated model on ${by} per min${stated}.`,
  type: by,
  code: 'rate_limit_exceeded',
  waitMs,
});

/** The same with the limit and the waiting time, in OpenAI's words. */
export function statedLimitError(
  { by, perMinute, cost, waitMs }: Refused,
  toldMs: number | undefined,
): SimulatedError {
  const limit = Math.round(perMinute);
  const wait = waitMs < 1000 ? `${Math.ceil(waitMs)}ms` : `${(waitMs / 1000).toFixed(3)}s`;
  return rateLimitError(
    by,
    toldMs,
    ` (${by === 'tokens' ? 'TPM' : 'RPM'}): Limit ${limit}, Used ${limit}, Requested ${Math.ceil(cost)}. Please try again in ${wait}`,
  );
}
