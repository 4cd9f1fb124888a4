import { z } from 'zod';

/** What `view-pages` is asked for. */
export const viewRequestSchema = z.object({
  /** Of a PDF. */
  path: z.string(),
  /** From 1. */
  pages: z.array(z.int().positive()),
  /** Base64 characters of all pictures together; pages after that have no picture. */
  mostPicture: z.int().nonnegative(),
});
export type ViewRequest = Readonly<z.infer<typeof viewRequestSchema>>;

const pageViewSchema = z.object({
  kind: z.literal('page'),
  page: z.int().positive(),
  /** In points. */
  width: z.number(),
  height: z.number(),
  /** A PNG in base64; null where the pictures before it were too large. */
  picture: z.string().nullable(),
  /** In reading order. Boxes are those of `page-content.ts`. */
  lines: z.array(
    z.object({
      text: z.string(),
      box: z.tuple([z.number(), z.number(), z.number(), z.number()]).readonly(),
    }),
  ),
});
export type PageView = Readonly<z.infer<typeof pageViewSchema>>;

/** A line of the output of `view-pages`. */
export const viewLineSchema = z.discriminatedUnion('kind', [
  /** Which page it begins, since PDFium may stop in it. */
  z.object({ kind: z.literal('begins'), page: z.int().positive() }),
  pageViewSchema,
  z.object({ kind: z.literal('no-page'), page: z.int().positive() }),
  z.object({ kind: z.literal('unreadable') }),
]);
export type ViewLine = Readonly<z.infer<typeof viewLineSchema>>;
