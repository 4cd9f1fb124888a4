import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import { callLog, type CallEnd, type Tally } from './call-log.js';
import { chatRequestSchema, requestKey } from './chat-request.js';
import { chatCompletion, type ReplyMessage } from './completion.js';
import { readConversation } from './conversation.js';
import { createDecider, isProbe } from './decide.js';
import { errorBody, invalidBody, retryAfterHeaders, rateLimitBody, faultReply } from './faults.js';
import type { Script } from './script.js';
import type { SimulatorOptions } from './simulator-options.js';

type ChatContext = Context<{ Bindings: HttpBindings }>;

/** Whether the endpoint refuses every key at the moment. */
export interface Keys {
  readonly areRefused: boolean;
}

/** `POST /v1/chat/completions`. Each request is counted and logged on arrival, and again before its reply is sent. */
export function chatEndpoint(
  options: SimulatorOptions,
  script: Script,
  tally: Tally,
  keys: Keys,
): (context: ChatContext) => Promise<Response> {
  const decider = createDecider(options, script, performance.now());
  const log = callLog(options.log);
  const retryAfter = (ms: number): Readonly<Record<string, string>> =>
    options.limitHeaders === 'none' ? {} : retryAfterHeaders(ms);
  let received = 0;

  return async (context) => {
    const body = chatRequestSchema.safeParse(await context.req.json().catch(() => undefined));
    if (!body.success) return context.json(invalidBody(body.error), 400);
    const request = body.data;
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
        return context.json(refusedKey, 401);
      }
      const decision = decider.decide(request, key, conversation, performance.now());
      const headers = decider.headers(performance.now());
      if (decision.kind === 'unscripted') {
        end('failed', 'unscripted');
        return context.json(unscripted, 400, headers);
      }
      if (decision.kind === 'rate-limit') {
        end('refused', 'rate-limit');
        const refusal = rateLimitBody(decision.by);
        return context.json(refusal, 429, { ...headers, ...retryAfter(decision.waitMs) });
      }
      const { fault, latencyMs, message, tokens } = decision;
      if (!(await waitForLatency(latencyMs, context.req.raw.signal))) {
        end('abandoned', 'abandoned');
        return RESPONSE_ALREADY_SENT;
      }
      const completion = (sent: ReplyMessage): object =>
        chatCompletion(call.number, request.model, sent, tokens);
      if (fault !== undefined) {
        end(fault === '429' ? 'refused' : 'failed', fault);
        return await faultReply[fault]({
          context,
          headers,
          retryAfter: retryAfter(options.retryAfterMs),
          completion: (text) => completion({ content: text }),
        });
      }
      tally.completed(key, tokens);
      end('completed', 'completion');
      return context.json(completion(message), 200, headers);
    } finally {
      tally.released();
    }
  };
}

const unscripted = errorBody(
  'The script of the simulated model has no reply to these messages.',
  'invalid_request_error',
  'unscripted',
);

const refusedKey = errorBody(
  'Incorrect API key provided.',
  'invalid_request_error',
  'invalid_api_key',
);

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
