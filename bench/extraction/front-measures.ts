import type { Paper } from '../../domain/extraction/paper.js';
import { isSameWording, squash } from './compare.js';
import { verdict, type Score } from './score.js';
import type { MeasuredPaper } from './papers.js';

/** Null where the source has no title, or the PDF prints another one. */
export function scoreTitle({ truth, paper, front }: MeasuredPaper): Score | null {
  const printed = truth?.titles.filter((title) => front.holds(title)) ?? [];
  if (printed.length === 0) return null;
  const found = foundTitles(paper);
  const right = printed.some((title) => found.some((text) => isSameWording(title, text)));
  return verdict(right, `${quoted(printed.at(-1))} read as ${quoted(found[0])}`);
}

/** The source may give title and subtitle as one. */
function foundTitles({ title, subtitle }: Paper): readonly string[] {
  if (title === null) return [];
  return subtitle === null ? [title] : [title, `${title} ${subtitle}`];
}

/** Null where the source gives no names, or the PDF prints others. */
export function scoreAuthors({ truth, paper, front }: MeasuredPaper): Score | null {
  const authors = truth?.authors ?? [];
  if (authors.length === 0 || !authors.every((name) => front.holds(name))) return null;
  const right =
    authors.length === paper.authors.length &&
    authors.every((name, index) => squash(name) === squash(paper.authors[index] ?? ''));
  return verdict(right, `${authors.join(', ')} read as ${paper.authors.join(' | ') || 'none'}`);
}

/** Whether anyone at all was found, over all papers. */
export const scoreAnyAuthor = ({ paper }: MeasuredPaper): Score =>
  verdict(paper.authors.length > 0, 'no author');

const quoted = (text: string | undefined): string =>
  text === undefined ? 'none' : JSON.stringify(text);
