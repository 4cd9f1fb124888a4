import { describe, expect, it } from 'vitest';
import { anyValueOfJson } from '../../../domain/actions/any-value.js';
import {
  checkPicture,
  noPageObservation,
  noPaperObservation,
} from '../../../domain/observations/picture-observation.js';
import type { Json } from '../../../domain/python/value.js';

const check = (paper: Json, page: Json, box: Json): unknown => {
  const result = checkPicture({
    paper_id: anyValueOfJson(paper),
    page_number: anyValueOfJson(page),
    bounding_box: anyValueOfJson(box),
  });
  return result.kind === 'refused' ? result.observed.content : result.asked;
};

describe('checkPicture', () => {
  it.each<[Json, Json, Json, string]>([
    [7, 0, 'x', '[Error]: paper id must be a string.'],
    ['p', 0, 'x', '[Error]: page number must be a positive integer.'],
    ['p', 'two', [], '[Error]: page number must be a positive integer.'],
    ['p', 1, [1, 2, 3], '[Error]: bounding box must be a list of 0 or 4 floats.'],
    ['p', 1, [1, 2, 3, 'x'], '[Error]: bounding box must be a list of 0 or 4 floats.'],
  ])('refuses %j, %j, %j in the reference’s order', (paper, page, box, message) => {
    expect(check(paper, page, box)).toBe(message);
  });

  it.each<[Json, Json, { readonly page: number; readonly box: readonly number[] }]>([
    [2, [], { page: 2, box: [] }],
    ['2', null, { page: 2, box: [] }],
    [2.7, '', { page: 2, box: [] }],
    [1, ['1.5', 2, 3, 4], { page: 1, box: [1.5, 2, 3, 4] }],
  ])('reads page %j and box %j', (page, box, expected) => {
    expect(check('p', page, box)).toEqual({ paperId: 'p', ...expected });
  });
});

it.each([
  [
    noPaperObservation({ paperId: '../x', page: 1, box: [] }),
    '[Error]: paper id ../x does not exist.',
  ],
  [
    noPageObservation({ paperId: 'p', page: 9, box: [] }),
    '[Error]: page 9 of paper id p does not exist.',
  ],
])('says what does not exist %#', ({ content }, message) => expect(content).toBe(message));
