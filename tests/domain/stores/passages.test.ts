import { describe, expect, it } from 'vitest';
import { passagesOfCells, splitIntoPassages } from '../../../domain/stores/passages.js';

/** A sentence of `words` words, each a word piece, and its period. */
const sentence = (words: number, word = 'oven'): string =>
  `Every ${Array.from({ length: words - 1 }, () => word).join(' ')}.`;

describe('the passages of a text', () => {
  it.each(['', 'A short text.', '  with\nwhite space ', sentence(199)])(
    'leave %j as it is',
    (text) => {
      expect(splitIntoPassages(text)).toEqual([text]);
    },
  );

  it('hold as many whole sentences as fit', () => {
    const [first, second, third] = [sentence(99), sentence(99), sentence(50)];
    expect(splitIntoPassages(`${first}\n${second} ${third}`)).toEqual([
      `${first} ${second}`,
      third,
    ]);
  });

  it('split a long sentence between words', () => {
    const passages = splitIntoPassages(sentence(450));
    expect(passages.map((passage) => passage.split(' ').length)).toEqual([200, 200, 50]);
    expect(passages.join(' ')).toBe(sentence(450));
  });

  it('split a long word anywhere', () => {
    const passages = splitIntoPassages('x'.repeat(1_201));
    expect(passages.join('').replaceAll(' ', '')).toBe('x'.repeat(1_201));
    expect(Math.max(...passages.map(({ length }) => length))).toBeLessThan(1_010);
  });

  it('split a table between rows', () => {
    const row = `<tr><td>${sentence(70)}</td></tr>`;
    const passages = splitIntoPassages(`<table>${row.repeat(4)}</table>`);
    expect(passages.length).toBeGreaterThan(1);
    for (const passage of passages.slice(0, -1)) expect(passage).toMatch(/<\/tr>$/);
  });

  it('count the signs of other scripts one by one, and split at their full stops', () => {
    const chinese = `${'烤'.repeat(120)}。`;
    expect(splitIntoPassages(chinese.repeat(2))).toEqual([chinese, chinese]);
  });

  it('do not take a number or an abbreviation in a sentence for its end', () => {
    const text = `${sentence(190).slice(0, -1)} see e.g. the error of 4.5 ovens and more of them. The end.`;
    for (const passage of splitIntoPassages(text)) {
      expect(passage).not.toMatch(/^(?:5|the error)/);
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
    expect(passagesOfCells([cell])).toEqual([
      { cell, text: sentence(150) },
      { cell, text: sentence(150) },
    ]);
  });
});
