import fc from '../../support/arbitrary/fast-check.js';
import { describe, expect, it } from 'vitest';
import { splitReasoning } from '../../../domain/models/reasoning.js';

describe('splitReasoning', () => {
  it.each<[string, string, string, string | null]>([
    ['nothing to separate', '[Thought]: so', '[Thought]: so', null],
    ['a block before the reply', '<think>\nhm\n</think>\n\nyes', 'yes', 'hm'],
    ['blanks before the block', ' \n <think>hm</think>yes', 'yes', 'hm'],
    ['two blocks', '<think>a</think>yes\n<think>b</think>\nno', 'yes\n\nno', 'a\n\nb'],
    ['an empty block', '<think>\n\n</think>\n\nyes', 'yes', null],
    ['a block that was cut off', '<think>on and on', '', 'on and on'],
    ['a second block that was cut off', '<think>a</think>yes\n<think>b', 'yes', 'a\n\nb'],
    ['a block opened in the prompt', 'hm\n</think>\nyes', 'yes', 'hm'],
    ['other marks', '[THINK]hm[/THINK]yes', 'yes', 'hm'],
    ['marks within a block', '<think>a [THINK] b</think>yes', 'yes', 'a [THINK] b'],
    ['marks spoken of', 'use <think> and </think> so', 'use <think> and </think> so', null],
    ['nothing but a block', '<think>hm</think>', '', 'hm'],
    ['an empty reply', '', '', null],
    [
      'channels',
      '<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>yes<|return|>',
      'yes',
      'hm',
    ],
    ['a channel that was cut off', '<|channel|>analysis<|message|>on and on', '', 'on and on'],
    ['text before a channel', 'So: <|channel|>final<|message|>yes', 'So: yes', null],
    ['a channel spoken of', 'the mark <|channel|> is in it', 'the mark <|channel|> is in it', null],
    [
      'a channel of a tool',
      '<|channel|>commentary to=functions.x <|constrain|>json<|message|>{}<|call|>',
      '',
      '{}',
    ],
  ])('separates %s', (_, reply, content, reasoning) => {
    expect(splitReasoning(reply)).toEqual({ content, reasoning });
  });

  it('is in time and leaves no block behind, whatever the marks', () => {
    const piece = fc.constantFrom('<think>', '</think>', '[THINK]', '[/THINK]', '\n', ' ', 'x');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 200 }), (pieces) => {
        const { content, reasoning } = splitReasoning(pieces.join(''));
        if (reasoning !== null) expect(content).toBe(content.trim());
        expect(content).not.toMatch(/^\s*<think>/m);
      }),
    );
  });
});
