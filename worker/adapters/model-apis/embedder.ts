import { z } from 'zod';
import type { EmbedderPort, PictureEmbedderPort } from '../../../activities/ports/model.js';
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
const textsTimeoutMs = 60_000;
/** A picture takes seconds on a processor without a graphics card. */
const pictureTimeoutMs = 120_000;

export interface OpenAiEmbedderOptions extends EndpointKey {
  readonly baseUrl: string;
  readonly model: string;
}

/** Embeddings of any OpenAI-compatible endpoint. The vector of a text too long for one request is the mean of its pieces. */
export function createOpenAiEmbedder(options: OpenAiEmbedderOptions): EmbedderPort {
  const embedder: EmbedderPort = {
    name: `openai/${options.model}`,
    endpoint: endpointUrl(options.baseUrl),
    collection: collectionName('text', 'openai', options.model),
    embed: async (texts, signal) => {
      const pieces = texts.map((text) => chunkText(text, pieceLimit));
      const flat = pieces.flat();
      const vectors: (readonly number[])[] = [];
      for (let start = 0; start < flat.length; start += batchSize) {
        const input = flat.slice(start, start + batchSize);
        const request = { sent: input, images: false, timeoutMs: textsTimeoutMs, body: { input } };
        vectors.push(...(await embeddingsOf(options, request, signal)));
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
  return {
    ...embedder,
    ready: async (signal) => {
      await embedder.embed(['ready'], signal);
    },
  };
}

type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } };

/**
 * A model with one space for pictures and texts, such as CLIP, behind the `/embeddings` endpoint of vLLM: it takes a picture
 * or a text as the message of a chat, one in a request.
 */
export function createVllmPictureEmbedder(options: OpenAiEmbedderOptions): PictureEmbedderPort {
  async function embedParts(
    parts: readonly Part[],
    signal: AbortSignal,
  ): Promise<readonly (readonly number[])[]> {
    const vectors: (readonly number[])[] = [];
    for (const part of parts) {
      const request = {
        sent: [part.type === 'text' ? part.text : part.image_url.url],
        images: part.type === 'image_url',
        timeoutMs: pictureTimeoutMs,
        body: { messages: [{ role: 'user', content: [part] }] },
      };
      vectors.push(...(await embeddingsOf(options, request, signal)));
    }
    return vectors;
  }

  return {
    name: `vllm/${options.model}`,
    endpoint: endpointUrl(options.baseUrl),
    collection: collectionName('image', 'vllm', options.model),
    embed: (texts, signal) =>
      embedParts(
        texts.map((text) => ({ type: 'text', text })),
        signal,
      ),
    embedPictures: (pictures, signal) =>
      embedParts(
        pictures.map(({ mimeType, base64 }) => ({
          type: 'image_url',
          image_url: { url: `data:${mimeType};base64,${base64}` },
        })),
        signal,
      ),
  };
}

/** What one request asks for. `sent` are its texts and pictures, each of which has an embedding. */
interface EmbeddingRequest extends Pick<Asked, 'images' | 'timeoutMs'> {
  readonly sent: readonly string[];
  readonly body: object;
}

async function embeddingsOf(
  { baseUrl, model, ...key }: OpenAiEmbedderOptions,
  { sent, body, ...limits }: EmbeddingRequest,
  signal: AbortSignal,
): Promise<readonly (readonly number[])[]> {
  const apiKey = keyFor(key, baseUrl);
  const asked: Asked = {
    ...{ api: 'chat', baseUrl, model, tools: false, ...limits },
    keySent: apiKey !== undefined,
    secrets: [key.apiKey ?? '', ...sent],
  };
  try {
    const outgoing = { model, ...body, encoding_format: 'float' };
    const request = { path: '/embeddings', body: outgoing, key: apiKey };
    return readEmbeddings(await callEndpoint(asked, request, signal), sent.length, asked);
  } catch (error) {
    throw asEmbedderFailure(error);
  }
}

const replySchema = z.object({
  data: z.array(z.object({ index: z.int(), embedding: z.array(z.number()).min(1) })),
});

/** One embedding for each of `texts`. Throws PortFailure. */
function readEmbeddings(
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
function asEmbedderFailure(error: unknown): unknown {
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
