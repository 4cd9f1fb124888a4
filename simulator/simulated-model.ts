import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { anthropicApi } from './apis/anthropic-api.js';
import { chatApi } from './apis/chat-api.js';
import { geminiApi } from './apis/gemini-api.js';
import { responsesApi } from './apis/responses-api.js';
import { addBatches } from './batches.js';
import { embeddingsReply, embeddingsRequestSchema } from './embeddings.js';
import { invalid, modelEndpoints, type Keys } from './model-endpoint.js';
import type { ModelApi } from '../domain/model-api.js';
import { readScript, type Script } from './script.js';
import {
  simulatorOptionsSchema,
  type SimulatorOptions,
  type SimulatorSettings,
} from './simulator-options.js';
import { Tally, type SimulatorStats } from './call-log.js';

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
  addBatches(app, options, tally);
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
