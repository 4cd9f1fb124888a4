import { describe, expect, it } from 'vitest';
import { truncateAnswer } from '../../../domain/agent/observations/observation.js';
import type { ChatMessage } from '../../../domain/models/chat-message.js';
import {
  countTokens,
  mostTokens,
  truncateTokens,
  fitTurns,
  limitImages,
  tokensOf,
} from '../../../domain/models/tokens.js';
import fc from '../../support/arbitrary/fast-check.js';

describe('countTokens', () => {
  it.each([
    ['', 0],
    ['hello world', 2],
  ])('counts %j', (text, tokens) => expect(countTokens(text)).toBe(tokens));

  it('takes what looks like a special token for a text', () => {
    expect(countTokens('<|endoftext|>')).toBeGreaterThan(1);
  });

  it('comes to an end on long runs', () => {
    expect(countTokens('字'.repeat(100_000))).toBeGreaterThan(50_000);
    expect(countTokens(' '.repeat(100_000))).toBeGreaterThan(100);
  });
});

describe('mostTokens', () => {
  it.each([
    ['one two', 7],
    ['字', 3],
    ['', 0],
  ])('of %j is %i', (text, expected) => {
    expect(mostTokens(text)).toBe(expected);
  });

  it('is never less than the tokens of a text', () => {
    const texts = [
      '',
      'a',
      '𝔘𝔫𝔦',
      '\ud83d',
      'e\u0301',
      '\u0000\u0001',
      ' \n\t',
      '{"a":[1.5,null]}',
    ];
    for (const text of texts) {
      expect({ text, most: mostTokens(text) }).toSatisfy(
        ({ most }: { readonly most: number }) => most >= countTokens(text),
      );
    }
  });
});

describe('truncateTokens', () => {
  it.each([
    ['one two three', 2, 'one two'],
    ['one two three', 3, 'one two three'],
    ['one', 100, 'one'],
    ['one', 0, ''],
  ])('cuts %j to %i tokens', (text, limit, expected) => {
    expect(truncateTokens(text, limit)).toBe(expected);
  });
});

it('an answer is cut to 30 000 tokens', () => {
  expect(truncateAnswer(' word'.repeat(30_001))).toBe(' word'.repeat(30_000));
  expect(truncateAnswer('<|endoftext|>')).toBe('<|endoftext|>');
});

const user = (text: string): ChatMessage => ({ role: 'user', content: text });
const picture = (name: string): ChatMessage => ({
  role: 'user',
  content: [
    { type: 'text', text: name },
    { type: 'image_url', image_url: { url: name } },
  ],
});
const note = 'The image stream is omitted due to the incapability of handling >2 images.';

describe('fitTurns', () => {
  it('keeps the newest turns within the budget, whole, and never touches the opening', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(200)), fc.nat(3000), (lengths, budget) => {
        const opening = [user('the opening')];
        const turns = lengths.map((length) => [user('word '.repeat(length)), user('seen')]);
        const kept = fitTurns(opening, turns, budget);
        const total = (list: readonly (readonly ChatMessage[])[]) =>
          [...opening, ...list.flat()].map(tokensOf).reduce((sum, each) => sum + each, 0);
        expect(kept).toEqual(turns.slice(turns.length - kept.length));
        if (kept.length > 0) expect(total(kept)).toBeLessThanOrEqual(budget);
        if (kept.length < turns.length) {
          expect(total(turns.slice(turns.length - kept.length - 1))).toBeGreaterThan(budget);
        }
      }),
    );
  });
});

describe('limitImages', () => {
  const shown = (messages: readonly ChatMessage[], opening: number) =>
    limitImages(messages, { opening, limit: 2 }).map(({ content }) => {
      const part = typeof content === 'string' ? undefined : content[1];
      if (part === undefined) return 'text';
      return part.type === 'text' ? part.text : part.image_url.url;
    });

  it('keeps the newest pictures, and says where one was', () => {
    expect(shown([user('t'), picture('a'), picture('b'), user('t'), picture('c')], 1)).toEqual([
      'text',
      note,
      'b',
      'text',
      'c',
    ]);
  });

  it('counts the pictures of the opening first, in their order', () => {
    expect(shown([picture('a'), picture('b'), picture('c'), picture('d')], 3)).toEqual([
      'a',
      'b',
      note,
      note,
    ]);
    expect(shown([picture('a'), picture('b'), picture('c')], 1)).toEqual(['a', note, 'c']);
  });

  it('changes nothing within the limit', () => {
    const messages = [user('t'), picture('a'), picture('b')];
    expect(limitImages(messages, { opening: 1, limit: 2 })).toEqual(messages);
  });
});
