import { beforeEach, describe, expect, it } from 'vitest';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelPort, ModelReply, ModelRequest } from '../../../activities/ports/model.js';
import { runIdSchema } from '../../../domain/ids.js';
import { defaultRunConfig } from '../../../domain/runs/run-config.js';
import { caching } from '../../../worker/model-calls/chain.js';

const reply: ModelReply = {
  content: '007',
  reasoning: 'hm',
  toolCalls: [{ id: 'c', name: 'look', argumentsText: '0.50' }],
  finishReason: 'stop',
  model: 'm-2026',
  tokens: { prompt: 10, completion: 2, cached: 0, reasoning: 1 },
};

const request = (changes: Partial<ModelRequest> = {}): ModelRequest => ({
  ...defaultRunConfig.model,
  baseUrl: 'http://someone:secret@127.0.0.1:1/v1',
  model: 'm',
  messages: [{ role: 'user', content: 'Which?' }],
  cache: true,
  ...changes,
});

let folder = '';
let asked: ModelRequest[] = [];
let model: ModelPort;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnwise-cache-'));
  asked = [];
  model = {
    complete: (one) => {
      asked.push(one);
      return Promise.resolve({ ...reply, rateLimit: { remainingRequests: 3 } });
    },
  };
});

const complete = (changes: Partial<ModelRequest> = {}): Promise<ModelReply> =>
  caching(folder)(model).complete(request(changes), new AbortController().signal);

const files = (): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(folder, name));

describe('a cached model', () => {
  it('is asked once for equal requests, by any process, and marks what it has kept', async () => {
    expect(await complete()).toEqual({ ...reply, rateLimit: { remainingRequests: 3 } });
    expect(await complete()).toEqual({ ...reply, cacheHit: true });
    expect(asked).toHaveLength(1);
    expect(files()).toHaveLength(1);
  });

  const picture = (data: string): Partial<ModelRequest> => ({
    messages: [
      {
        role: 'user',
        content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } }],
      },
    ],
  });

  it.each<[string, Partial<ModelRequest>, Partial<ModelRequest>]>([
    ['endpoint', {}, { baseUrl: 'http://127.0.0.1:2/v1' }],
    ['model', {}, { model: 'n' }],
    ['message', {}, { messages: [{ role: 'user', content: 'Which? ' }] }],
    ['temperature', {}, { temperature: 0 }],
    ['absent temperature', {}, { temperature: null }],
    ['top_p', {}, { topP: 1 }],
    ['token limit', {}, { maxTokens: 1501 }],
    ['seed', { seed: 1 }, { seed: 2 }],
    ['reasoning effort', {}, { reasoningEffort: 'low' }],
    [
      'place of the system message',
      { messages: [{ role: 'system', content: 'x' }] },
      { systemRole: 'user', messages: [{ role: 'system', content: 'x' }] },
    ],
    ['parameter of its own', {}, { extraBody: { top_k: 1 } }],
    ['tool', {}, { tools: [{ name: 'look', description: '', parameters: {} }] }],
    ['picture', picture('AAAA'), picture('AAAB')],
  ])('is asked again for another %s', async (_, one, other) => {
    await complete(one);
    await complete(other);
    expect(asked).toHaveLength(2);
    expect(files()).toHaveLength(2);
  });

  it('is asked once for equal requests of different runs', async () => {
    await complete({ run: runIdSchema.parse('a') });
    await complete({ run: runIdSchema.parse('b'), concurrency: 'auto' });
    expect(asked).toHaveLength(1);
  });

  it('is asked every time where the request does not want the cache', async () => {
    await complete({ cache: false });
    await complete({ cache: false });
    expect(asked).toHaveLength(2);
    expect(files()).toHaveLength(0);
  });

  it('keeps neither prompts nor pictures nor the password of the address', async () => {
    await complete();
    await complete(picture('A'.repeat(10_000)));
    const text = files()
      .map((file) => readFileSync(file, 'utf8'))
      .join('');
    expect(text).not.toMatch(/AAAA|secret|Which/);
  });

  it('is asked again where the kept file is damaged, which is then mended', async () => {
    await complete();
    writeFileSync(files()[0] ?? '', '{"reply": {"content": 7}}');
    expect(await complete()).not.toHaveProperty('cacheHit');
    expect(await complete()).toHaveProperty('cacheHit', true);
  });

  it('hands on a reply that it cannot keep', async () => {
    const unusable = join(folder, 'a-file');
    writeFileSync(unusable, '');
    const cached = caching(unusable)(model);
    const { content } = await cached.complete(request(), new AbortController().signal);
    expect(content).toBe('007');
  });

  it('keeps no failure', async () => {
    model = { complete: () => Promise.reject(new Error('busy')) };
    await expect(complete()).rejects.toThrow('busy');
    expect(files()).toHaveLength(0);
  });

  it('leaves one whole file where many write at once', async () => {
    await Promise.all(Array.from({ length: 20 }, () => complete()));
    expect(readdirSync(folder, { recursive: true })).toHaveLength(2);
    expect(await complete()).toHaveProperty('cacheHit', true);
  });
});
