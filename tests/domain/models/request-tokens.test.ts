import { describe, expect, it } from 'vitest';
import { countRequestTokens } from '../../../domain/models/request-tokens.js';

const hello = [
  { role: 'system', content: 'You are a helpful assistant.' },
  { role: 'user', content: 'hello world' },
] as const;

describe('countRequestTokens', () => {
  it.each([
    ['gpt-4o-mini', 'o200k_base'],
    ['gpt-4.1', 'o200k_base'],
    ['gpt-4', 'cl100k_base'],
    ['gpt-4-turbo', 'cl100k_base'],
    ['openai/gpt-5-mini', 'o200k_base'],
  ])('counts exactly for %s, in %s', (model, encoding) => {
    expect(countRequestTokens({ model, messages: hello })).toEqual({
      encoding,
      // Six and two tokens of text, one of the role, three of the format.
      messages: [10, 6],
      tools: 0,
      total: 19,
      estimated: [],
    });
  });

  it('says that it estimates for a model with another tokenizer', () => {
    const { estimated, encoding } = countRequestTokens({ model: 'qwen3-8b', messages: hello });
    expect(encoding).toBe('o200k_base');
    expect(estimated).toEqual(['the tokenizer of qwen3-8b is not known here']);
  });

  it('says that it estimates tools and pictures', () => {
    const { estimated, tools, messages } = countRequestTokens({
      model: 'gpt-4o',
      messages: [
        {
          role: 'user',
          content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,A' } }],
        },
      ],
      tools: [{ type: 'function', function: { name: 'look' } }],
    });
    expect(estimated).toEqual(['providers rewrite tools', 'pictures count by their size']);
    expect(tools).toBeGreaterThan(5);
    expect(messages).toEqual([769]);
  });

  it('counts a text that looks like a special token as text', () => {
    const messages = [{ role: 'user', content: '<|endoftext|>' }] as const;
    expect(countRequestTokens({ model: 'gpt-4o', messages }).total).toBeGreaterThan(9);
  });
});
