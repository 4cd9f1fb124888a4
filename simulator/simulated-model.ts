import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { z } from 'zod';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { ModelApi } from '../domain/model-api.js';
import { anthropicApi } from './apis/anthropic-api.js';
import { chatApi, responsesApi } from './apis/openai-api.js';
import { geminiApi } from './apis/gemini-api.js';
import { addBatches } from './batches.js';
import { Tally, type SimulatorStats } from './call-log.js';
import { estimateTokens } from './completion.js';
import { invalid, modelEndpoints, type Keys } from './model-endpoint.js';
import { readScript, type Script } from './script.js';
import {
  simulatorOptionsSchema,
  type SimulatorOptions,
  type SimulatorSettings,
} from './simulator-options.js';

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

const settings = {
  model: z.string().min(1),
  dimensions: z.int().min(1).max(8192).optional(),
  encoding_format: z.enum(['float', 'base64']).default('float'),
};

/** A text or a picture as the message of a chat, as vLLM takes it. The vector of a picture is that of its address. */
const messageSchema = z.object({
  content: z.tuple([
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('text'), text: z.string() }),
      z.object({ type: z.literal('image_url'), image_url: z.object({ url: z.string() }) }),
    ]),
  ]),
});

const embeddingsRequestSchema = z.union([
  z.object({
    ...settings,
    input: z.union([z.string().transform((text) => [text]), z.array(z.string()).min(1)]),
  }),
  z
    .object({ ...settings, messages: z.tuple([messageSchema]) })
    .transform(({ messages: [{ content }], ...rest }) => {
      const [part] = content;
      return { ...rest, input: [part.type === 'text' ? part.text : part.image_url.url] };
    }),
]);
type EmbeddingsRequest = z.infer<typeof embeddingsRequestSchema>;

/** A normalised bag of hashed words: texts that share words are close to each other. */
function embed(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['']) {
    const hash = createHash('sha256').update(word).digest();
    const at = hash.readUInt32BE(0) % dimensions;
    vector[at] = (vector[at] ?? 0) + (hash.readUInt8(4) % 2 === 0 ? 1 : -1);
  }
  const length = Math.hypot(...vector);
  return length === 0 ? embed('', dimensions) : vector.map((value) => value / length);
}

/** The reply to `POST /v1/embeddings` in OpenAI's format. */
function embeddingsReply(request: EmbeddingsRequest, defaultDimensions: number): object {
  const { model, input, dimensions = defaultDimensions, encoding_format: encoding } = request;
  const tokens = input.reduce((sum, text) => sum + estimateTokens(text), 0);
  return {
    object: 'list',
    model,
    data: input.map((text, index) => {
      const vector = embed(text, dimensions);
      return {
        object: 'embedding',
        index,
        embedding:
          encoding === 'float' ? [...vector] : Buffer.from(vector.buffer).toString('base64'),
      };
    }),
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}
