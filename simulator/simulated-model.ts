import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { Hono, type Context } from 'hono';
import { anthropicApi } from './apis/anthropic-api.js';
import { chatApi } from './apis/chat-api.js';
import { geminiApi } from './apis/gemini-api.js';
import { responsesApi } from './apis/responses-api.js';
import { embeddingsReply, embeddingsRequestSchema } from './embeddings.js';
import type { ModelApi } from '../domain/model-api.js';
import { readScript, type Script } from './script.js';
import {
  simulatorOptionsSchema,
  type SimulatorOptions,
  type SimulatorSettings,
} from './simulator-options.js';
import { Tally, type SimulatorStats, callLog, type CallEnd } from './call-log.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { z } from 'zod';
import {
  eventStream,
  type SimulatedApi,
  type SimulatedError,
  type SimulatedReply,
} from './apis/simulated-api.js';
import { chatRequestSchema, requestKey, type ChatRequest } from './chat-request.js';
import type { ReplyMessage } from './completion.js';
import { readConversation } from './conversation.js';
import { createDecider, isProbe } from './decide.js';
import { faultReply, rateLimitError, retryAfterHeaders, statedLimitError } from './faults.js';

export interface SimulatedModel {
  /** For `OPENAI_BASE_URL`: ends in `/v1`. */
  readonly url: string;
  /** For the variables of addresses, by API. */
  readonly urls: Readonly<Record<ModelApi, string>>;
  readonly port: number;
  readonly stats: () => SimulatorStats;
  /** Refuses every key from now on, or no more. */
  readonly refuseKeys: (isRefused: boolean) => void;
  /** Stops the server and closes open connections. */
  readonly close: () => Promise<void>;
}

/**
 * Starts an endpoint of every API with scripted replies, for trials, tests and benchmarks.
 * A reply depends only on the request and the seed, so several endpoints may serve one run.
 * Rejects with a UserError for an invalid script, and with the system's error (EADDRINUSE) if it cannot listen.
 */
export async function startSimulatedModel(
  options: SimulatorSettings = {},
): Promise<SimulatedModel> {
  const settings = simulatorOptionsSchema.parse(options);
  const { host, port, script } = settings;
  const tally = new Tally();
  const keys = { areRefused: false };
  const app = simulatorApp(
    settings,
    typeof script === 'string' ? readScript(script) : script,
    tally,
    keys,
  );
  // Keeps the global Request and Response, which the process may use for its own calls.
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false });
  server.listen(port, host);
  await once(server, 'listening');
  // A server that listens on a port has an AddressInfo.
  const address = server.address() as AddressInfo;
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
  const url = `${origin}/v1`;
  return {
    url,
    urls: { chat: url, responses: url, anthropic: origin, gemini: origin },
    port: address.port,
    stats: () => tally.stats(),
    refuseKeys: (isRefused) => {
      keys.areRefused = isRefused;
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      if ('closeAllConnections' in server) server.closeAllConnections();
      await closed;
    },
  };
}

function simulatorApp(
  options: SimulatorOptions,
  script: Script,
  tally: Tally,
  keys: Keys,
): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  const endpointOf = modelEndpoints(options, script, tally, keys);
  app.post('/v1/chat/completions', endpointOf(chatApi));
  app.post('/v1/responses', endpointOf(responsesApi));
  app.post('/v1/messages', endpointOf(anthropicApi));
  app.post(
    '/v1beta/models/:call',
    endpointOf(geminiApi, ({ req }) =>
      (req.param('call') ?? '').replace(/:(generateContent|streamGenerateContent)$/, ''),
    ),
  );
  app.get('/v1beta/models', (context) =>
    context.json({ models: options.models.map((id) => ({ name: `models/${id}` })) }),
  );
  app.get('/v1/models', (context) =>
    context.json({
      object: 'list',
      data: options.models.map((id) => ({
        id,
        object: 'model',
        created: 0,
        owned_by: 'simulated',
      })),
    }),
  );
  app.post('/v1/embeddings', async (context) => {
    const body = embeddingsRequestSchema.safeParse(await context.req.json().catch(() => undefined));
    if (!body.success) return context.json(chatApi.error(invalid(body.error)), 400);
    tally.embedded();
    return context.json(embeddingsReply(body.data, options.embeddingDimensions));
  });
  app.get('/simulator/stats', (context) => context.json(tally.stats()));
  return app;
}

type CallContext = Context<{ Bindings: HttpBindings }>;

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
        const decision = decider.decide(request, key, conversation, performance.now());
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
        const { fault, latencyMs, message, tokens } = decision;
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
        tally.completed(key);
        tally.billed(tokens, isProbe(conversation));
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
