import { preview } from '../formats/text.js';
import type { StoredPaper } from './store-manifest.js';

type NamedPaper = Pick<StoredPaper, 'paperId' | 'file' | 'title'>;

/** In any letters, with any spaces. */
const plain = (name: string): string => name.trim().toLowerCase().replace(/\s+/g, ' ');

const namesOf = ({ file, title }: NamedPaper): readonly string[] =>
  [file, file.replace(/\.pdf$/i, ''), title].map(plain);

/** The papers that a name means: that of the id, else those of the file name, with or without `.pdf`, or of the title. */
export type PapersByName<Paper extends NamedPaper = NamedPaper> = (
  name: string,
) => readonly Paper[];

export function papersByName<Paper extends NamedPaper>(
  papers: readonly Paper[],
): PapersByName<Paper> {
  const ids = new Map(papers.map((paper) => [paper.paperId.toLowerCase(), paper]));
  const named = new Map<string, Paper[]>();
  for (const paper of papers) {
    for (const name of new Set(namesOf(paper))) {
      named.set(name, [...(named.get(name) ?? []), paper]);
    }
  }
  return (name) => {
    const paper = ids.get(plain(name));
    return paper ? [paper] : plain(name) === '' ? [] : (named.get(plain(name)) ?? []);
  };
}

/** `papersByName`, else those with that text in file name or title, for people who say which of them they mean. */
export function papersLike<Paper extends NamedPaper>(
  papers: readonly Paper[],
  name: string,
): readonly Paper[] {
  const named = papersByName(papers)(name);
  const text = plain(name);
  if (named.length > 0 || text === '') return named;
  return papers.filter((paper) => namesOf(paper).some((one) => one.includes(text)));
}

/** Candidates that a message names. */
const mostNamed = 5;

/** That several papers have a name, such as `'geese' names 2 papers: ID (geese.pdf, Counting Geese); …`. */
export function severalText(name: string, found: readonly NamedPaper[]): string {
  const candidates = found
    .slice(0, mostNamed)
    .map(({ paperId, file, title }) => `${paperId} (${file}, ${preview(title, 60)})`);
  const more = found.length > mostNamed ? '; …' : '';
  return `'${name}' names ${found.length} papers: ${candidates.join('; ')}${more}`;
}

/** The ids of the papers that a question names, and the names that say of none or of several. These stay as they are. */
export function paperIds(
  named: PapersByName,
  names: readonly string[],
): {
  readonly ids: readonly string[];
  readonly missing: readonly string[];
  /** With their candidates. */
  readonly ambiguous: readonly string[];
} {
  const found = names.map((name) => ({ name, papers: named(name) }));
  return {
    ids: found.map(({ name, papers: [paper, another] }) =>
      paper && !another ? paper.paperId : name,
    ),
    missing: found.filter(({ papers }) => papers.length === 0).map(({ name }) => name),
    ambiguous: found
      .filter(({ papers }) => papers.length > 1)
      .map(({ name, papers }) => severalText(name, papers)),
  };
}
