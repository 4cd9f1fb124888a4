import { afterEach, expect, it } from 'vitest';
import type { ChatRequest } from '../../simulator/chat-request.js';
import { createPrefixCache } from '../../simulator/decide.js';
import { startSimulatedModel, type SimulatedModel } from '../../simulator/simulated-model.js';

const prompt = (tokens: number, end = ''): ChatRequest => ({
  model: 'm',
  messages: [
    { role: 'system', content: 'four'.repeat(tokens) },
    { role: 'user', content: end },
  ],
});

it('knows the longest prefix of a prompt in steps of 128 tokens, from 1,024 on', () => {
  const cache = createPrefixCache();
  expect(cache.read(prompt(2000))).toBe(0);
  cache.write(prompt(2000, 'a'));
  expect(cache.read(prompt(2000, 'b'))).toBe(15 * 128);
  expect(cache.read({ ...prompt(2000, 'b'), model: 'n' })).toBe(0);
  expect(cache.read({ ...prompt(2000), tools: [{ function: { name: 'x' } }] })).toBe(0);
  cache.write(prompt(1000, 'a'));
  expect(cache.read(prompt(1000, 'a'))).toBe(0);
  expect(cache.read(prompt(1100, 'b'))).toBe(8 * 128);
});

it('forgets what was used least', () => {
  const cache = createPrefixCache(20);
  cache.write(prompt(2000));
  expect(cache.read(prompt(2000))).toBe(15 * 128);
  cache.write({ ...prompt(2000), model: 'n' });
  expect(cache.read(prompt(2000))).toBe(0);
});

let model: SimulatedModel | undefined;
afterEach(() => model?.close());

it.each([
  ['a prefix is read only after it was replied to', true, [0, 0, 1024]],
  ['the first turn is never cached without the option', false, [0, 0, 0]],
])('%s', async (_, prefixCache, expected) => {
  const script = { generated: { turns: 1 } };
  const { url } = (model = await startSimulatedModel({ script, prefixCache, latencyMs: 100 }));
  const cached = async (question: string): Promise<number> => {
    const messages = [
      { role: 'system', content: 'four'.repeat(1100) },
      { role: 'user', content: `[Question]: ${question}\n[Answer Format]: x` },
    ];
    const body = JSON.stringify({ model: 'm', messages });
    const reply = await fetch(`${url}/chat/completions`, { method: 'POST', body });
    const { usage } = (await reply.json()) as {
      readonly usage: { readonly prompt_tokens_details: { readonly cached_tokens: number } };
    };
    return usage.prompt_tokens_details.cached_tokens;
  };
  const both = await Promise.all([cached('a'), cached('b')]);
  expect([...both, await cached('c')]).toEqual(expected);
});
