import { z } from 'zod';
import { firstIssue } from '../../../domain/formats/json.js';
import { option, type FlagsOf } from '../../../domain/option.js';
import { datasetItemSchema, type DatasetItem } from '../../../domain/scoring/dataset-item.js';
import type { StoreManifest } from '../../../domain/stores/store-manifest.js';
import { UserError } from '../../../domain/user-error.js';
import { findPaper } from '../../runs/stores/store-papers.js';

/** What a question asked by hand may come with. */
export const questionOptions = {
  answerFormat: option('<text>', 'the form the answer must have'),
  database: option('<path>', 'the database that the question is about (`turnwise docs datasets`)'),
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
