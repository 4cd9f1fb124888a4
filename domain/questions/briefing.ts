import { z } from 'zod';

/** What a question's messages hold of the store and no turn brought: read once, before the first turn, where a method needs it. */
export const briefingSchema = z.object({
  /** Of the papers the question is about, by paper id. */
  titles: z.record(z.string(), z.string()),
  /** Null where the context comes from a turn, or there is none. */
  context: z.string().nullable(),
  startedAt: z.string(),
  endedAt: z.string(),
});
export type Briefing = Readonly<z.infer<typeof briefingSchema>>;
