import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import { z } from 'zod';
import {
  eventStream,
  type SimulatedApi,
  type SimulatedError,
  type SimulatedReply,
} from './apis/simulated-api.js';
import { callLog, type CallEnd, type Tally } from './call-log.js';
import { chatRequestSchema, requestKey, type ChatRequest } from './chat-request.js';
import type { ReplyMessage } from './completion.js';
import { readConversation } from './conversation.js';
import { createDecider, isProbe } from './decide.js';
import { faultReply, rateLimitError, retryAfterHeaders, statedLimitError } from './faults.js';
import type { Script } from './script.js';
import type { SimulatorOptions } from './simulator-options.js';

type CallContext = Context<{ Bindings: HttpBindings }>;

/** Marks a call that a batch makes. */
export const batchHeader = 'x-simulated-batch';

/** Whether the endpoint refuses every key at the moment. */
export interface Keys {
  readonly areRefused: boolean;
}

/**
 * The endpoint of each API. They are one account with one script: the same request has the same reply in all of them. Each
 * request is counted and logged on arrival, and again before its reply is sent.
 */
export function modelEndpoints(
  options: SimulatorOptions,
  script: Script,
  tally: Tally,
  keys: Keys,
): (
  api: SimulatedApi,
  modelOf?: (context: CallContext) => string,
) => (context: CallContext) => Promise<Response> {
  const decider = createDecider(options, script, performance.now());
  const log = callLog(options.log);
  let received = 0;

  return (api, modelOf = () => '') => {
    const retryAfter = (ms: number): Readonly<Record<string, string>> =>
      options.limitHeaders === 'none' || !api.sendsRetryAfter ? {} : retryAfterHeaders(ms);
    const toldMs = (ms: number): number | undefined =>
      options.limitHeaders === 'none' ? undefined : ms;

    return async (context) => {
      const read = readRequest(
        api,
        await context.req.json().catch(() => undefined),
        modelOf(context),
      );
      if ('error' in read) return context.json(api.error(invalid(read.error)), 400);
      const { request } = read;
      const key = requestKey(request);
      const conversation = readConversation(request);
      const { question } = conversation;
      const call = { number: ++received, key, question: question ?? null };
      const end = (kind: CallEnd, detail: string): void => {
        tally.ended(kind, question);
        log({ event: 'replied', ...call, end: kind, detail });
      };
      tally.received(question, isProbe(conversation));
      log({ event: 'received', ...call });
      try {
        if (keys.areRefused) {
          end('refused', 'key');
          // As each provider does.
          return context.json(api.error(refusedKey), api.keyStatus);
        }
        const inBatch = context.req.header(batchHeader) !== undefined;
        const decision = decider.decide(request, key, conversation, performance.now(), inBatch);
        const headers = api.headers(decider.headers(performance.now()), Date.now());
        if (decision.kind === 'unscripted') {
          end('failed', 'unscripted');
          return context.json(api.error(unscripted), 400, headers);
        }
        if (decision.kind === 'rate-limit') {
          end('refused', 'rate-limit');
          const { refused } = decision;
          const told = toldMs(refused.waitMs);
          const refusal = options.limitInBody
            ? statedLimitError(refused, told)
            : rateLimitError(refused.by, told);
          const sent = { ...headers, ...retryAfter(refused.waitMs) };
          return context.json(api.error(refusal), 429, sent);
        }
        const { fault, latencyMs, message, tokens, replied } = decision;
        if (!(await waitForLatency(latencyMs, context.req.raw.signal))) {
          // As a provider does that does not notice.
          if (fault === undefined) tally.billed(tokens, isProbe(conversation));
          end('abandoned', 'abandoned');
          return RESPONSE_ALREADY_SENT;
        }
        const replyWith = (sent: ReplyMessage): SimulatedReply => ({
          number: call.number,
          model: request.model,
          message: sent,
          tokens,
        });
        if (fault !== undefined) {
          end(fault === '429' ? 'refused' : 'failed', fault);
          return await faultReply[fault]({
            api,
            context,
            headers,
            retryAfter: retryAfter(options.retryAfterMs),
            waitMs: toldMs(options.retryAfterMs),
            completion: (text) => api.reply(replyWith({ content: text })),
          });
        }
        replied();
        tally.completed(key);
        tally.billed(tokens, isProbe(conversation), inBatch);
        end('completed', 'completion');
        const streams = request.stream === true || context.req.path.includes(':stream');
        if (!streams) return context.json(api.reply(replyWith(message)), 200, headers);
        const sent = { ...headers, 'content-type': 'text/event-stream' };
        return context.body(eventStream(api.events(replyWith(message))), 200, sent);
      } finally {
        tally.released();
      }
    };
  };
}

function readRequest(
  api: SimulatedApi,
  body: unknown,
  model: string,
): { readonly request: ChatRequest } | { readonly error: z.ZodError } {
  try {
    return { request: chatRequestSchema.parse(api.asChat(body, model)) };
  } catch (error) {
    if (error instanceof z.ZodError) return { error };
    throw error;
  }
}

/** A request of the wrong shape. */
export const invalid = (error: z.ZodError): SimulatedError => ({
  status: 400,
  message: z.prettifyError(error),
  type: 'invalid_request_error',
  code: null,
});

const unscripted: SimulatedError = {
  status: 400,
  message: 'The script of the simulated model has no reply to these messages.',
  type: 'invalid_request_error',
  code: 'unscripted',
};

const refusedKey: SimulatedError = {
  status: 401,
  message: 'Incorrect API key provided.',
  type: 'invalid_request_error',
  code: 'invalid_api_key',
};

/** Returns false if the client closed the connection meanwhile. */
async function waitForLatency(ms: number, signal: AbortSignal): Promise<boolean> {
  if (ms === 0) return true;
  try {
    await sleep(ms, undefined, { signal });
    return true;
  } catch {
    return false;
  }
}
