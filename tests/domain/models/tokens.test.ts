import { describe, expect, it } from 'vitest';
import { countTokens, mostTokens, truncateTokens } from '../../../domain/models/tokens.js';
import { truncateAnswer } from '../../../domain/agent/observations/tool-observations.js';

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
