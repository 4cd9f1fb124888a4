import { once } from 'node:events';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import { errorBody, retryAfterHeaders } from './error-body.js';
import type { FaultName } from './simulator-options.js';

interface SpoiledCall {
  readonly context: Context<{ Bindings: HttpBindings }>;
  readonly headers: Readonly<Record<string, string>>;
  readonly retryAfterMs: number;
  /** The completion that would have been sent, with that content. */
  readonly completion: (content: string | null) => object;
}

/** What a client sees of each fault. */
export const spoiledReply: Readonly<
  Record<FaultName, (call: SpoiledCall) => Response | Promise<Response>>
> = {
  '429': ({ context, headers, retryAfterMs }) =>
    context.json(slowDown, 429, { ...headers, ...retryAfterHeaders(retryAfterMs) }),
  '500': ({ context, headers }) =>
    context.json(errorBody('A simulated internal error.', 'server_error', null), 500, headers),
  '503': ({ context, headers, retryAfterMs }) =>
    context.json(errorBody('A simulated overload.', 'server_error', 'overloaded'), 503, {
      ...headers,
      ...retryAfterHeaders(retryAfterMs),
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
export const slowDown = errorBody(
  'Rate limit reached for the simulated model.',
  'requests',
  'rate_limit_exceeded',
);
