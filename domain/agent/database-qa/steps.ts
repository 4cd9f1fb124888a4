import { z } from 'zod';

/** What a reply of a database method contributes before the answer. */
export const stepSchema = z.discriminatedUnion('kind', [
  /** The plan of mode `sequential`, or what a round of mode `iterative` needs; may be empty. */
  z.object({ kind: z.literal('plan'), text: z.string() }),
  /** The agent declares that it has enough. */
  z.object({ kind: z.literal('enough') }),
  z.object({
    kind: z.literal('queries'),
    /** From 1. */
    round: z.int().min(1),
    /** As the model wrote them; may be empty. */
    queries: z.array(z.string()).readonly(),
    /** For repairs: the index of each repaired query among all queries of the question. */
    repairOf: z.array(z.int().nonnegative()).readonly().optional(),
  }),
]);
export type Step = Readonly<z.infer<typeof stepSchema>>;
