import { z } from 'zod';

/** What a thread opens. */
export const openModelSchema = z.object({
  graph: z.string(),
  weights: z.string(),
  vocabulary: z.string(),
  /** A Python that has ONNX Runtime; null where the model is run in WebAssembly. */
  python: z.string().nullable(),
});
export type OpenModel = Readonly<z.infer<typeof openModelSchema>>;

export const embedJobSchema = z.object({ texts: z.array(z.string()).readonly() });
export type EmbedJob = Readonly<z.infer<typeof embedJobSchema>>;

/** What the thread posts for a job. */
export type EmbedResult =
  | { readonly kind: 'embedded'; readonly vectors: readonly (readonly number[])[] }
  | { readonly kind: 'failed'; readonly reason: string };
