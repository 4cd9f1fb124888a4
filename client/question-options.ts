import type { Command } from 'commander';
import { datasetItemSchema, type DatasetItem } from '../domain/questions/dataset-item.js';
import { firstIssue } from '../domain/questions/dataset.js';
import { UserError } from './user-error.js';

/** What a question asked by hand may come with. */
export interface QuestionFlags {
  readonly answerFormat: string;
  readonly paper: readonly string[];
}

export function addQuestionOptions(command: Command): Command {
  return command
    .option('--answer-format <text>', 'the form the answer must have', '')
    .option(
      '--paper <id>',
      'a paper the question is about (again for more)',
      (id: string, earlier: readonly string[]) => [...earlier, id],
      [],
    );
}

/** Throws UserError where the question is no question. */
export function questionItem(uuid: string, question: string, flags: QuestionFlags): DatasetItem {
  const item = datasetItemSchema.safeParse({
    uuid,
    question,
    answer_format: flags.answerFormat,
    anchor_pdf: flags.paper,
  });
  if (item.success) return item.data;
  throw new UserError(`the question cannot be asked: ${firstIssue(item.error)}`);
}
