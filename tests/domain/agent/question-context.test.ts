import { expect, it } from 'vitest';
import { countTokens } from '../../../domain/models/tokens.js';
import { paperContext, type PaperText } from '../../../domain/agent/question-context.js';

const divided: PaperText = {
  title: 'One',
  abstract: 'first',
  sections: [
    { title: '1 Intro', text: 'a' },
    { title: '2 End', text: 'b' },
  ],
  pages: ['p1', 'p2'],
};
const undivided: PaperText = { ...divided, title: 'Two', abstract: '', sections: [] };
const source = (kind: 'titles-and-abstracts' | 'full-text', cutoffTokens = 5000) =>
  ({ kind, cutoffTokens }) as const;

it('lists titles and abstracts', () => {
  expect(paperContext(source('titles-and-abstracts'), [divided, undivided])).toBe(
    'Titles and abstracts for anchor PDFs:\n[Title]: One\n[Abstract]: first\n\n[Title]: Two\n[Abstract]: ',
  );
});

it('joins sections, and pages where there are none', () => {
  expect(paperContext(source('full-text'), [divided, undivided])).toBe(
    'Full text for anchor PDFs with 5k tokens cutoff:\n1 Intro\na\n2 End\nb\n\n----------\n\np1\n\np2',
  );
});

it('cuts the whole, so that later papers go first', () => {
  const long = { ...undivided, pages: ['word '.repeat(100)] };
  const text = paperContext(source('full-text', 50), [long, undivided]);
  expect(countTokens(text)).toBe(50);
  expect(text).not.toContain('p1');
});

it('says so where a question names no paper', () => {
  expect(paperContext(source('full-text'), [])).toBe('No context provided.');
});
