import { z } from 'zod';
import { steps } from './item.js';

/** What models are told, and the version that is recorded with everything that they make. */
export const promptsSchema = z.object({
  version: z.string().min(1),
  instructions: z.record(z.enum(steps), z.string().trim().min(1).max(20_000)),
});
export type Prompts = Readonly<z.infer<typeof promptsSchema>>;

/** Prompts of the user's own, for some steps or all. */
export const changedPromptsSchema = z
  .partialRecord(z.enum(steps), z.string().trim().min(1).max(20_000))
  .readonly();
export type ChangedPrompts = z.infer<typeof changedPromptsSchema>;
