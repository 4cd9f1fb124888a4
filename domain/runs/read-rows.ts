import { z } from 'zod';
import { datasetItemSchema } from '../scoring/dataset-item.js';
import { runManifestSchema } from './run-manifest.js';

/** The questions whose rows the program `read-rows` is to read. */
export const rowsAskedSchema = z.object({
  manifest: runManifestSchema.pick({ run: true, config: true, store: true, databases: true }),
  items: z.array(datasetItemSchema).readonly(),
});
export type RowsAsked = Readonly<z.infer<typeof rowsAskedSchema>>;

/** All rows of a question's database as its prompt has them. `overflow`: they are more than the model's context takes. */
export const readRowsSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('rows'), text: z.string() }),
  z.object({ kind: z.enum(['overflow', 'failed']), message: z.string() }),
]);
export type ReadRows = Readonly<z.infer<typeof readRowsSchema>>;
