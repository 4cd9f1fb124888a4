import { z } from 'zod';

/** The files that a thread opens. */
export const openFilesSchema = z.object({
  runtime: z.string(),
  model: z.string(),
  vocabulary: z.string(),
});
export type OpenFiles = Readonly<z.infer<typeof openFilesSchema>>;

export const embedJobSchema = z.object({ texts: z.array(z.string()).readonly() });
export type EmbedJob = Readonly<z.infer<typeof embedJobSchema>>;

/** What the thread posts for a job. */
export type EmbedResult =
  | { readonly kind: 'embedded'; readonly vectors: readonly (readonly number[])[] }
  | { readonly kind: 'failed'; readonly reason: string };
