import { describe, expect, it } from 'vitest';
import { fillPrompt } from '../../../domain/prompts/fill-prompt.js';

describe('fillPrompt', () => {
  it('fills every place, and takes values as they are', () => {
    expect(fillPrompt('{{a}} and {{b}} and {{a}}', { a: '$& {{b}}', b: '2' })).toBe(
      '$& {{b}} and 2 and $& {{b}}',
    );
  });

  it('sends no prompt with a hole', () => {
    expect(() => fillPrompt('{{a}} {{b}}', { a: '1' })).toThrow('no value for {{b}}');
  });

  it('leaves other braces alone', () => {
    const text = '{a} {{ a }} {"json": {}}';
    expect(fillPrompt(text, {})).toBe(text);
  });
});
