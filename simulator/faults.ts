import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import { z } from 'zod';
import { faultNames, type FaultName, type SimulatorOptions } from './simulator-options.js';

/** An error in OpenAI's format. */
export const errorBody = (message: string, type: string, code: string | null): object => ({
  error: { message, type, param: null, code },
});

export const invalidBody = (error: z.ZodError): object =>
  errorBody(z.prettifyError(error), 'invalid_request_error', null);

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
  readonly context: Context<{ Bindings: HttpBindings }>;
  readonly headers: Readonly<Record<string, string>>;
  readonly retryAfter: Readonly<Record<string, string>>;
  /** The completion that would have been sent without the fault, but with this content. */
  readonly completion: (content: string | null) => object;
}

/** The response that each fault sends. */
export const faultReply: Readonly<
  Record<FaultName, (call: FaultyCall) => Response | Promise<Response>>
> = {
  '429': ({ context, headers, retryAfter }) =>
    context.json(rateLimitBody('requests'), 429, { ...headers, ...retryAfter }),
  '500': ({ context, headers }) =>
    context.json(errorBody('A simulated internal error.', 'server_error', null), 500, headers),
  '503': ({ context, headers, retryAfter }) =>
    context.json(errorBody('A simulated overload.', 'server_error', 'overloaded'), 503, {
      ...headers,
      ...retryAfter,
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

/** The body of a 429, whether a limit or a fault caused it. */
export const rateLimitBody = (by: 'requests' | 'tokens'): object =>
  errorBody(
    `Rate limit reached for the simulated model on ${by} per min.`,
    by,
    'rate_limit_exceeded',
  );
