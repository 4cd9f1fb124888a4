/** Whose files can be made a dataset. */
export const importFormats = ['openai-evals', 'promptfoo', 'csv'] as const;
export type ImportFormat = (typeof importFormats)[number];

/** Fields of a question that a file may have under another name. */
export const importFields = [
  'uuid',
  'question',
  'gold',
  'answer_format',
  'tags',
  'anchor_pdf',
] as const;
export type ImportField = (typeof importFields)[number];
export type FieldNames = Readonly<Partial<Record<ImportField, string>>>;
