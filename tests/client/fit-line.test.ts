import { describe, expect, it } from 'vitest';
import { fitLines, widthOf } from '../../client/fit-line.js';

describe('widthOf', () => {
  it.each([
    ['abc', 3],
    ['naïve', 5],
    ['nai\u0308ve', 5],
    ['模型', 4],
    ['🙂', 2],
  ])('of %s is %i', (line, width) => expect(widthOf(line)).toBe(width));
});

describe('fitLines', () => {
  it.each<[string, readonly string[]]>([
    ['short', ['short']],
    ['one two three four', ['one two', '  three', '  four']],
    ['a\tb\n\u001b[31mc', ['a b [31mc']],
    ['abcdefghijklmnop', ['abcdefghij', '  klmnop']],
    ['模型模型模型', ['模型模型模', '  型']],
  ])('breaks %j', (text, lines) => expect(fitLines(text, 10)).toEqual(lines));

  it('makes no line wider than there is room', () => {
    const text = 'the account has no credit left (模型 says so): `turnwise resume a-run` goes on';
    for (let columns = 10; columns < 90; columns += 1) {
      for (const line of fitLines(text, columns))
        expect(widthOf(line)).toBeLessThanOrEqual(columns);
    }
  });
});
