import { z } from 'zod';
import { firstIssue } from '../../../domain/formats/json.js';
import { option, type FlagsOf } from '../../../domain/option.js';
import { datasetItemSchema, type DatasetItem } from '../../../domain/scoring/dataset-item.js';
import type { StoredPaper, StoreManifest } from '../../../domain/stores/store-manifest.js';
import { UserError } from '../../../domain/user-error.js';

/**
 * The paper of a store that is meant by its id, its file name (with or without `.pdf`), its title, or a part of
 * its title that no other has. Throws UserError where it is none or several.
 */
export function findPaper(
  { name, papers }: Pick<StoreManifest, 'name' | 'papers'>,
  wanted: string,
): StoredPaper {
  const text = wanted.trim().toLowerCase();
  const named = papers.filter(({ paperId, file, title }) =>
    [paperId, file, file.replace(/\.pdf$/i, ''), title].some((n) => n.toLowerCase() === text),
  );
  const found = named.length > 0 ? named : papers.filter(titleContains(text));
  const [paper, another] = found;
  if (paper === undefined || text === '') {
    throw new UserError(
      `store ${name} does not hold paper ${wanted}: give the id, title or file name of one that \`turnwise store show ${name}\` lists`,
    );
  }
  if (another !== undefined) {
    throw new UserError(
      `${found.length} papers of store ${name} may be meant by ${wanted}, “${paper.title}” and “${another.title}” among them: give the id`,
    );
  }
  return paper;
}

const titleContains =
  (text: string) =>
  ({ title }: StoredPaper): boolean =>
    title.toLowerCase().includes(text);

/** What a question asked by hand may come with. */
export const questionOptions = {
  answerFormat: option('<text>', 'the form the answer must have'),
  database: option('<path>', 'the database that the question is about (docs/datasets.md)'),
  paper: option(
    '<paper>',
    'a paper the question is about, by id, title or file name (again for more)',
    z.array(z.string()).optional(),
  ),
};

/** Throws UserError where the question is no question, or the store does not hold its papers. */
export function questionItem(
  uuid: string,
  question: string,
  flags: FlagsOf<typeof questionOptions>,
  store: StoreManifest | null,
): DatasetItem {
  if (store === null && flags.paper !== undefined) {
    throw new UserError('--paper names a paper of a store: give --store too');
  }
  const papers = store === null ? [] : (flags.paper ?? []).map((paper) => findPaper(store, paper));
  const item = datasetItemSchema.safeParse({
    uuid,
    question,
    answer_format: flags.answerFormat,
    anchor_pdf: papers.map(({ paperId }) => paperId),
    ...(flags.database !== undefined && { database: { path: flags.database } }),
  });
  if (item.success) return item.data;
  throw new UserError(`the question cannot be asked: ${firstIssue(item.error)}`);
}
