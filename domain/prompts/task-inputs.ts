/** The labels a task may begin its parts with, each with what stands behind it; a prompt lists those its method uses. */
export const taskInputs = {
  question: '[Question]: what is asked.',
  answerFormat:
    '[Answer Format]: the form the final answer must have. It is checked by a program, so follow it to the letter.',
  anchorIds:
    '[Anchor PDF]: the id of the paper the question is about. Several ids are listed under [Anchor PDFs].',
  anchorTitles:
    '[Anchor PDF]: the title of the paper the question is about. Several titles are listed under [Anchor PDFs].',
  conference:
    '[Conference]: where the papers in question were published, with the year. Several are listed under [Conferences].',
  database:
    '[Database Schema]: the tables of the database with their columns, types, meaning and keys.',
  vectorstore:
    '[Vectorstore Schema]: the collections of the vectorstore, their fields, the cells of the database that were embedded, and the operators a filter may use.',
  context: '[Context]: what was found about the question beforehand.',
  graphQuery: '[Query]: what was asked about the question so far, in this order.',
  graphAnswer: '[Answer]: what came back.',
} as const;
export type TaskInput = keyof typeof taskInputs;

export const describeInputs = (inputs: readonly TaskInput[]): string =>
  inputs.map((input) => taskInputs[input]).join('\n');
