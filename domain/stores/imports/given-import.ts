import { z } from 'zod';
import { fileContentSchema } from '../../file-content.js';

/** A file of an import, copied into the storage. */
const givenPartSchema = fileContentSchema.extend({
  /** Where it was, for messages. An absolute path. */
  given: z.string(),
  /** Where its copy is in the storage. */
  copy: z.string(),
});
export type GivenPart = Readonly<z.infer<typeof givenPartSchema>>;

/** The index of what an import was given, in the folder of its ingestion. */
export const givenImportFile = 'given.json';

/** The files by the ids of their papers. */
const partsOfPapersSchema = z.record(z.string(), givenPartSchema).readonly();

export const givenImportSchema = z.object({
  database: givenPartSchema.nullable(),
  bm25: givenPartSchema.nullable(),
  processed: partsOfPapersSchema,
  metadata: partsOfPapersSchema,
  pdfs: partsOfPapersSchema,
});
export type GivenImport = Readonly<z.infer<typeof givenImportSchema>>;
