import { describe, expect, it } from 'vitest';
import { findPaper } from '../../../../client/commands/shared/question-options.js';
import { storeNameSchema } from '../../../../domain/ids.js';
import type { StoredPaper } from '../../../../domain/stores/store-manifest.js';

const paper = (paperId: string, title: string, file: string): StoredPaper => ({
  paperId,
  title,
  file,
  sha256: 'a'.repeat(64),
  pages: 4,
});
const hay = paper('11111111-1111-4111-8111-111111111111', 'Hay Meadows of the Alps', 'hay.pdf');
const wet = paper('22222222-2222-4222-8222-222222222222', 'Wet Meadows', 'wet.PDF');
const wetter = paper('33333333-3333-4333-8333-333333333333', 'Wet Meadows Revisited', 'w2.pdf');
const store = { name: storeNameSchema.parse('papers'), papers: [hay, wet, wetter] };

describe('a paper is found by', () => {
  it.each([
    ['its id', hay.paperId, hay],
    ['its file', 'hay.pdf', hay],
    ['its file without the ending', 'wet', wet],
    ['its title, in any case', 'wet meadows', wet],
    ['a part of its title that no other has', 'revisited', wetter],
  ])('%s', (_by, wanted, found) => {
    expect(findPaper(store, wanted)).toBe(found);
  });
});

it.each(['moss', '', '44444444-4444-4444-8444-444444444444'])(
  'a paper that is not there is refused with the remedy: %s',
  (wanted) => {
    expect(() => findPaper(store, wanted)).toThrow(
      /does not hold paper .*turnwise store show papers/,
    );
  },
);

it('a part that several titles have is refused with two of them', () => {
  expect(() => findPaper(store, 'meadows')).toThrow(/3 papers .*“Hay .*” and “Wet .*give the id/);
});
