import type { JSX } from 'preact';
import type { PageQuestion } from '../../../page/page-question.js';
import { documentPaths, pathTo } from '../../../page/page-paths.js';

/** The papers of a question. */
export type NamedPapers = Pick<PageQuestion, 'paperNames' | 'store'>;

interface PaperNameProps {
  readonly id: string;
  readonly papers: NamedPapers;
  /** The place on its page, such as `#page-2`. @defaultValue its beginning */
  readonly place?: string;
}

/** The file name of a paper, with its title and id behind; its id where the store does not have it. */
export function PaperName({ id, papers, place = '' }: PaperNameProps): JSX.Element {
  const { store } = papers;
  const paper = papers.paperNames[id];
  if (paper === undefined) return <>{id}</>;
  const name = { title: `${paper.title} · ${id}`, children: paper.file };
  if (store === null) return <span {...name} />;
  const address = pathTo(documentPaths.paper, { store, paper: id }) + place;
  return <a href={address} target="_blank" rel="noreferrer" {...name} />;
}
