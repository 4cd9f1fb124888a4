import { z } from 'zod';

/** What a file holds: SHA-256 of its bytes in hex, and their number. */
export const fileContentSchema = z.object({
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().nonnegative(),
});
export type FileContent = Readonly<z.infer<typeof fileContentSchema>>;
