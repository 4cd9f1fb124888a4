import { z } from 'zod';
import type { EmbedderPort } from '../../../activities/ports/model.js';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import { failureTypes } from '../../../domain/failure-type.js';
import { jsonIn } from '../../../domain/formats/json.js';
import { chunkText } from '../../../domain/extraction/text.js';
import { collectionName } from '../../../domain/stores/store-manifest.js';
import { callEndpoint, type EndpointReply } from './call-endpoint.js';
import { endpointUrl, keyFor, type EndpointKey } from './endpoint.js';
import { nonsenseFailure, type Asked } from './failures.js';

/** Texts of one request. Providers accept hundreds, but all texts of a failed request are paid for again. */
const batchSize = 64;
/** In characters: half of the 8,191 tokens that OpenAI's models accept, since some scripts and formulas take more tokens. */
const pieceLimit = 12_000;
const timeoutMs = 60_000;

export interface OpenAiEmbedderOptions extends EndpointKey {
  readonly baseUrl: string;
  readonly model: string;
}

/** Embeddings of any OpenAI-compatible endpoint. The vector of a text too long for one request is the mean of its pieces. */
export function createOpenAiEmbedder({
  baseUrl,
  model,
  ...key
}: OpenAiEmbedderOptions): EmbedderPort {
  const apiKey = keyFor(key, baseUrl);

  async function embedBatch(
    input: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly (readonly number[])[]> {
    const secrets = [key.apiKey ?? '', ...input];
    const asked: Asked = {
      api: 'chat',
      baseUrl,
      model,
      timeoutMs,
      keySent: apiKey !== undefined,
      secrets,
      images: false,
      tools: false,
    };
    try {
      const body = { model, input, encoding_format: 'float' };
      const reply = await callEndpoint(asked, { path: '/embeddings', body, key: apiKey }, signal);
      return readEmbeddings(reply, input.length, asked);
    } catch (error) {
      throw asEmbedderFailure(error);
    }
  }

  return {
    name: `openai/${model}`,
    endpoint: endpointUrl(baseUrl),
    collection: collectionName('text', 'openai', model),
    embed: async (texts, signal) => {
      const pieces = texts.map((text) => chunkText(text, pieceLimit));
      const flat = pieces.flat();
      const vectors: (readonly number[])[] = [];
      for (let start = 0; start < flat.length; start += batchSize) {
        vectors.push(...(await embedBatch(flat.slice(start, start + batchSize), signal)));
      }
      let next = 0;
      return pieces.map((parts) => {
        const own = vectors.slice(next, next + parts.length);
        next += parts.length;
        return mean(
          own,
          parts.map((part) => part.length),
        );
      });
    },
  };
}

const replySchema = z.object({
  data: z.array(z.object({ index: z.int(), embedding: z.array(z.number()).min(1) })),
});

/** One embedding for each of `texts`. Throws PortFailure. */
export function readEmbeddings(
  { body, headers }: EndpointReply,
  texts: number,
  asked: Asked,
): readonly (readonly number[])[] {
  const { data } = replySchema.safeParse(jsonIn(body));
  const byIndex = new Map(data?.data.map(({ index, embedding }) => [index, embedding]));
  return Array.from({ length: texts }, (_, index) => {
    const embedding = byIndex.get(index);
    if (embedding !== undefined) return embedding;
    throw nonsenseFailure(`did not send one embedding for each of ${texts} texts`, headers, asked);
  });
}

/** Failures that are retried become EmbedderUnavailable. The others keep their type, which names the remedy. */
export function asEmbedderFailure(error: unknown): unknown {
  if (!(error instanceof PortFailure) || !failureTypes[error.type].retry) return error;
  return new PortFailure('EmbedderUnavailable', error.message, error.options);
}

/** The mean, weighted by length and normalised to length 1. */
function mean(
  vectors: readonly (readonly number[])[],
  weights: readonly number[],
): readonly number[] {
  const [first = []] = vectors;
  if (vectors.length <= 1) return first;
  const sum = first.map((_, at) =>
    vectors.reduce((total, vector, index) => total + (vector[at] ?? 0) * (weights[index] ?? 0), 0),
  );
  const norm = Math.hypot(...sum);
  return sum.map((value) => value / norm);
}
