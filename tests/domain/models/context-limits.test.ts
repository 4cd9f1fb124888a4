import fc from '../../support/arbitrary/fast-check.js';
import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../../domain/models/chat-message.js';
import { fitTurns, limitImages, tokensOf } from '../../../domain/models/context-limits.js';

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
