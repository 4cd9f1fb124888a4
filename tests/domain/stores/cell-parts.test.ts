import { describe, expect, it } from 'vitest';
import { partsOfCells, splitIntoParts } from '../../../domain/stores/cell-parts.js';

/** A sentence of `words` words, each a word piece, and its period. */
const sentence = (words: number, word = 'oven'): string =>
  `Every ${Array.from({ length: words - 1 }, () => word).join(' ')}.`;

describe('the parts of a text', () => {
  it.each(['', 'A short text.', '  with\nwhite space ', sentence(199)])(
    'leave %j as it is',
    (text) => {
      expect(splitIntoParts(text)).toEqual([text]);
    },
  );

  it('hold as many whole sentences as fit', () => {
    const [first, second, third] = [sentence(99), sentence(99), sentence(50)];
    expect(splitIntoParts(`${first}\n${second} ${third}`)).toEqual([`${first} ${second}`, third]);
  });

  it('split a long sentence between words', () => {
    const parts = splitIntoParts(sentence(450));
    expect(parts.map((part) => part.split(' ').length)).toEqual([200, 200, 50]);
    expect(parts.join(' ')).toBe(sentence(450));
  });

  it('split a long word anywhere', () => {
    const parts = splitIntoParts('x'.repeat(1_201));
    expect(parts.join('').replaceAll(' ', '')).toBe('x'.repeat(1_201));
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(1_010);
  });

  it('split a table between rows', () => {
    const row = `<tr><td>${sentence(70)}</td></tr>`;
    const parts = splitIntoParts(`<table>${row.repeat(4)}</table>`);
    expect(parts.length).toBeGreaterThan(1);
    for (const part of parts.slice(0, -1)) expect(part).toMatch(/<\/tr>$/);
  });

  it('count the signs of other scripts one by one, and split at their full stops', () => {
    const chinese = `${'烤'.repeat(120)}。`;
    expect(splitIntoParts(chinese.repeat(2))).toEqual([chinese, chinese]);
  });

  it('do not take a number or an abbreviation in a sentence for its end', () => {
    const text = `${sentence(190).slice(0, -1)} see e.g. the error of 4.5 ovens and more of them. The end.`;
    for (const part of splitIntoParts(text)) {
      expect(part).not.toMatch(/^(?:5|the error)/);
    }
  });

  it('name their cell', () => {
    const cell = {
      table: 'pages',
      column: 'page_content',
      primaryKey: 'p',
      pageNumber: 1,
      text: `${sentence(150)} ${sentence(150)}`,
    } as const;
    expect(partsOfCells([cell])).toEqual([
      { cell, text: sentence(150) },
      { cell, text: sentence(150) },
    ]);
  });
});
