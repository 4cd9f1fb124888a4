import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import { z } from 'zod';
import { faultNames, type FaultName, type SimulatorOptions } from './simulator-options.js';

/** An error as OpenAI writes it. */
export const errorBody = (message: string, type: string, code: string | null): object => ({
  error: { message, type, param: null, code },
});

export const invalidBody = (error: z.ZodError): object =>
  errorBody(z.prettifyError(error), 'invalid_request_error', null);

/** `Retry-After` in whole seconds as HTTP has it, and exactly. */
export const retryAfterHeaders = (waitMs: number): Readonly<Record<string, string>> => ({
  'retry-after': String(Math.ceil(waitMs / 1000)),
  'retry-after-ms': String(Math.ceil(waitMs)),
});

/** A number in [0, 1) that depends on nothing but its arguments, so that no order of arrival changes a run. */
export function seededDraw(...parts: readonly (string | number)[]): number {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest();
  return digest.readUIntBE(0, 6) / 2 ** 48;
}

/** What befalls the `attempt`-th admitted request of that content: the same in every run with the same seed. */
export function chooseFault(
  { seed, faults }: Pick<SimulatorOptions, 'seed' | 'faults'>,
  requestKey: string,
  attempt: number,
): FaultName | undefined {
  let draw = seededDraw(seed, 'fault', requestKey, attempt);
  return faultNames.find((name) => (draw -= faults[name] ?? 0) < 0);
}

/** How long the reply to the `attempt`-th request of that content takes. */
export function latencyMsOf(
  { seed, latencyMs, jitter }: Pick<SimulatorOptions, 'seed' | 'latencyMs' | 'jitter'>,
  requestKey: string,
  attempt: number,
): number {
  const swing = 2 * seededDraw(seed, 'latency', requestKey, attempt) - 1;
  return latencyMs * (1 + jitter * swing);
}

interface SpoiledCall {
  readonly context: Context<{ Bindings: HttpBindings }>;
  readonly headers: Readonly<Record<string, string>>;
  readonly retryAfter: Readonly<Record<string, string>>;
  /** The completion that would have been sent, with that content. */
  readonly completion: (content: string | null) => object;
}

/** What a client sees of each fault. */
export const spoiledReply: Readonly<
  Record<FaultName, (call: SpoiledCall) => Response | Promise<Response>>
> = {
  '429': ({ context, headers, retryAfter }) =>
    context.json(slowDown('requests'), 429, { ...headers, ...retryAfter }),
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

/** The body of a 429, by a limit or a fault. */
export const slowDown = (by: 'requests' | 'tokens'): object =>
  errorBody(
    `Rate limit reached for the simulated model on ${by} per min.`,
    by,
    'rate_limit_exceeded',
  );
