import { describe, expect, it } from 'vitest';
import { paperIds, papersByName, papersLike } from '../../../domain/stores/papers-named.js';

const paper = (paperId: string, title: string, file: string) => ({ paperId, title, file });
const hay = paper('11111111-1111-4111-8111-111111111111', 'Hay Meadows of the Alps', 'hay.pdf');
const wet = paper('22222222-2222-4222-8222-222222222222', 'Wet  Meadows', 'wet.PDF');
const twin = paper('33333333-3333-4333-8333-333333333333', 'wet meadows', 'w2.pdf');
const named = paper('44444444-4444-4444-8444-444444444444', 'Moss', hay.paperId);
const papers = [hay, wet, twin, named];

describe('a paper is named by', () => {
  it.each([
    ['its id', hay.paperId, [hay]],
    ['its file', 'hay.pdf', [hay]],
    ['its file without the ending', 'wet', [wet]],
    ['its title, in any case and spacing', ' WET meadows ', [wet, twin]],
    ['no part of its title', 'Alps', []],
    ['nothing', ' ', []],
  ])('%s', (_, name, found) => {
    expect(papersByName(papers)(name)).toEqual(found);
  });
});

it.each([
  ['wet', [wet]],
  ['alps', [hay]],
  ['w2', [twin]],
  ['meadows', [hay, wet, twin]],
  ['', []],
])('people may mean by a part, %s', (name, found) => {
  expect(papersLike(papers, name)).toEqual(found);
});

it('gives the ids of what a question names, and tells what names no paper or several', () => {
  expect(paperIds(papersByName(papers), ['hay', named.paperId, 'wet meadows', 'fen'])).toEqual({
    ids: [hay.paperId, named.paperId, 'wet meadows', 'fen'],
    missing: ['fen'],
    ambiguous: [
      "'wet meadows' names 2 papers: 22222222-2222-4222-8222-222222222222 (wet.PDF, Wet Meadows); 33333333-3333-4333-8333-333333333333 (w2.pdf, wet meadows)",
    ],
  });
});
