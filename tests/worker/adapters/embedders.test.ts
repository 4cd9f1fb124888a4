import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { miniLmName } from '../../../domain/embedders.js';
import { createEmbedders, hashingEmbedder } from '../../../worker/adapters/embedders.js';
import {
  startHttpEndpoint,
  type HttpEndpoint,
  type ReceivedRequest,
} from '../../support/fakes/http-endpoint.js';

const never = new AbortController().signal;
const cosine = (a: readonly number[] = [], b: readonly number[] = []): number =>
  a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);

describe('the hashing embedder', () => {
  it('says what it is in its names', () => {
    expect(hashingEmbedder).toMatchObject({ name: 'hashing/384', collection: 'text_hashing_384' });
  });

  it('gives unit vectors, for texts of symbols and stop words too', async () => {
    const vectors = await hashingEmbedder.embed(['an oven', '∑', 'the of', ''], never);
    for (const vector of vectors) {
      expect(vector).toHaveLength(384);
      expect(Math.hypot(...vector)).toBeCloseTo(1, 12);
    }
  });

  it('places texts with words in common closer together', async () => {
    const [a, b, c] = await hashingEmbedder.embed(
      ['baking bread in ovens', 'an oven bakes the bread', 'counting fireflies at night'],
      never,
    );
    expect(cosine(a, b)).toBeGreaterThan(0.5);
    expect(cosine(a, c)).toBeLessThan(0.2);
  });
});

describe('the OpenAI-compatible embedder', () => {
  let endpoint: HttpEndpoint | undefined;
  afterEach(() => endpoint?.close());

  async function embedder(reply: (response: ServerResponse, request: ReceivedRequest) => void) {
    endpoint = await startHttpEndpoint(reply);
    const baseUrl = `${endpoint.url}/v1`;
    return createEmbedders(
      { baseUrl, keyIsFor: baseUrl, apiKey: 'key-123' },
      { folder: tmpdir(), python: 'no-python' },
    )('openai/org/Small-1');
  }
  const json = (response: ServerResponse, body: unknown, status = 200): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const inputOf = ({ body }: ReceivedRequest): readonly string[] =>
    (JSON.parse(body) as { readonly input: readonly string[] }).input; // what the adapter sends

  it('asks in batches and keeps the order of the texts', async () => {
    const { embed, name, collection } = await embedder((response, request) => {
      const data = inputOf(request).map((text, index) => ({ index, embedding: [Number(text), 1] }));
      json(response, { data: data.reverse() });
    });
    const texts = Array.from({ length: 100 }, (_, index) => String(index));
    const vectors = await embed(texts, never);
    expect(vectors).toEqual(texts.map((text) => [Number(text), 1]));
    expect(endpoint?.received.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ['/v1/embeddings', 'Bearer key-123'],
      ['/v1/embeddings', 'Bearer key-123'],
    ]);
    expect([name, collection]).toEqual(['openai/org/Small-1', 'text_openai_small_1']);
  });

  it('embeds a text that is too long as the mean of its pieces', async () => {
    const { embed } = await embedder((response, request) => {
      const data = inputOf(request).map((text, index) => ({
        index,
        embedding: text.includes('a') ? [1, 0] : [0, 1],
      }));
      json(response, { data });
    });
    const [vector = []] = await embed([`${'a'.repeat(12_000)} ${'b'.repeat(6_000)}`], never);
    expect(vector[0]).toBeCloseTo(2 / Math.sqrt(5), 6);
    expect(vector[1]).toBeCloseTo(1 / Math.sqrt(5), 6);
  });

  it.each<[string, number, unknown, string]>([
    ['429', 429, { error: { message: 'slow down' } }, 'EmbedderUnavailable'],
    ['500', 500, { error: { message: 'oops' } }, 'EmbedderUnavailable'],
    ['too few vectors', 200, { data: [] }, 'EmbedderUnavailable'],
    ['something else', 200, ['hello'], 'EmbedderUnavailable'],
    ['401', 401, { error: { message: 'bad key' } }, 'ModelRefusedKey'],
    ['404', 404, { error: { message: 'no such model' } }, 'ModelUnknown'],
  ])('reports %s as a failure of its kind', async (_, status, body, type) => {
    const { embed } = await embedder((response) => json(response, body, status));
    await expect(embed(['text'], never)).rejects.toMatchObject({ name: 'PortFailure', type });
  });
});

it('knows the embedders that stores name', () => {
  const embedders = createEmbedders(
    { baseUrl: 'http://127.0.0.1:1', keyIsFor: '', apiKey: undefined },
    { folder: tmpdir(), python: 'no-python' },
  );
  expect(embedders(miniLmName).name).toBe('sentence-transformers/all-MiniLM-L6-v2');
  expect(() => embedders('word2vec')).toThrow("This worker knows no embedder 'word2vec'.");
});
