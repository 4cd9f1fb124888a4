import { expect, it } from 'vitest';
import { isFull } from '../../../domain/extraction/body-print.js';
import { lineOf } from '../../support/extraction/pdf-content.js';

// Characters are 5 points wide, and the longest line of the paragraph has 20.
it.each([
  ['a word that had no place', 'fourteen chars', 'longest of all', true],
  ['a word that had a place', 'fourteen chars', 'has a place here', false],
  ['a name that keeps its number', 'fourteen chars', '(Tab 55) shows it', true],
])('tells whether a paragraph goes on by %s', (_, above, below, goesOn) => {
  expect(isFull(lineOf(above), lineOf(below), 100)).toBe(goesOn);
});
