import type { Command } from 'commander';
import { datasetItemSchema, type DatasetItem } from '../domain/questions/dataset-item.js';
import { firstIssue } from '../domain/questions/dataset.js';
import type { StoreManifest } from '../domain/stores/store-manifest.js';
import { findPaper } from './find-paper.js';
import { UserError } from './user-error.js';

/** What a question asked by hand may come with. */
export interface QuestionFlags {
  readonly answerFormat?: string;
  readonly paper?: readonly string[];
}

export function addQuestionOptions(command: Command): Command {
  return command
    .option('--answer-format <text>', 'the form the answer must have')
    .option(
      '--paper <paper>',
      'a paper the question is about, by id, title or file name (again for more)',
      (paper: string, earlier: readonly string[] | undefined) => [...(earlier ?? []), paper],
    );
}

/** Throws UserError where the question is no question, or the store does not hold its papers. */
export function questionItem(
  uuid: string,
  question: string,
  flags: QuestionFlags,
  store: StoreManifest,
): DatasetItem {
  const papers = (flags.paper ?? []).map((paper) => findPaper(store, paper));
  const item = datasetItemSchema.safeParse({
    uuid,
    question,
    answer_format: flags.answerFormat,
    anchor_pdf: papers.map(({ paperId }) => paperId),
  });
  if (item.success) return item.data;
  throw new UserError(`the question cannot be asked: ${firstIssue(item.error)}`);
}
