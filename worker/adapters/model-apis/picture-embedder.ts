import type { PictureEmbedderPort } from '../../../activities/ports/model.js';
import { collectionName } from '../../../domain/stores/store-manifest.js';
import { callEndpoint } from './call-endpoint.js';
import { asEmbedderFailure, readEmbeddings, type OpenAiEmbedderOptions } from './embedder.js';
import { endpointUrl, keyFor } from './endpoint.js';
import type { Asked } from './failures.js';

/** A picture takes seconds on a processor without a graphics card. */
const timeoutMs = 120_000;

type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } };

/**
 * A model with one space for pictures and texts, such as CLIP, behind the `/embeddings` endpoint of vLLM: it takes a picture
 * or a text as the message of a chat, one in a request.
 */
export function createVllmPictureEmbedder({
  baseUrl,
  model,
  ...key
}: OpenAiEmbedderOptions): PictureEmbedderPort {
  const apiKey = keyFor(key, baseUrl);

  async function embedPart(part: Part, signal: AbortSignal): Promise<readonly number[]> {
    const sent = part.type === 'text' ? part.text : part.image_url.url;
    const asked: Asked = {
      api: 'chat',
      baseUrl,
      model,
      timeoutMs,
      keySent: apiKey !== undefined,
      secrets: [key.apiKey ?? '', sent],
      images: part.type === 'image_url',
      tools: false,
    };
    try {
      const body = {
        model,
        messages: [{ role: 'user', content: [part] }],
        encoding_format: 'float',
      };
      const reply = await callEndpoint(asked, { path: '/embeddings', body, key: apiKey }, signal);
      const [vector = []] = readEmbeddings(reply, 1, asked);
      return vector;
    } catch (error) {
      throw asEmbedderFailure(error);
    }
  }

  async function embedParts(
    parts: readonly Part[],
    signal: AbortSignal,
  ): Promise<readonly (readonly number[])[]> {
    const vectors: (readonly number[])[] = [];
    for (const part of parts) vectors.push(await embedPart(part, signal));
    return vectors;
  }

  return {
    name: `vllm/${model}`,
    endpoint: endpointUrl(baseUrl),
    collection: collectionName('image', 'vllm', model),
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
