import { describe, expect, it } from 'vitest';
import { methods } from '../../../domain/methods/methods.js';
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

it.each(Object.entries(methods))(
  'the prompt of %s has the places that are filled',
  (name, method) => {
    expect(method.name).toBe(name);
    expect(new Set(method.system.match(/\{\{\w+\}\}/g))).toEqual(
      new Set(['{{actionSpace}}', '{{maxTurns}}']),
    );
  },
);
