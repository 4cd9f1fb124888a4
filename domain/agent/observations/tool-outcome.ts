import { z } from 'zod';

/** What came of a tool's work, as those who study a run count it. */
export const toolOutcomeSchema = z.discriminatedUnion('kind', [
  /** `cut`: there was more than the model was shown. */
  z.object({ kind: z.literal('found'), shown: z.int().positive(), cut: z.boolean() }),
  z.object({ kind: z.literal('empty') }),
  /** `class` names the kind of failure, e.g. `binder`, `timeout` or `filter`. */
  z.object({ kind: z.literal('failed'), class: z.string().min(1) }),
]);
export type ToolOutcome = Readonly<z.infer<typeof toolOutcomeSchema>>;

export const toolFactsSchema = z.object({
  tool: z.enum(['sql', 'search', 'calculation', 'image', 'graph']),
  outcome: toolOutcomeSchema,
  /** Of the tool alone, without what was made of its result, to a tenth; null where it was not asked. */
  ms: z.number().nonnegative().nullable(),
  /** US dollars, of a tool that costs any; null where it does not say how many. */
  costUsd: z.number().nonnegative().nullable().optional(),
});
export type ToolFacts = Readonly<z.infer<typeof toolFactsSchema>>;

/** What came of an action: told to the model, and counted. */
export interface Observed {
  readonly content: string;
  readonly outcome: ToolOutcome;
}

export const failed = (failure: string, content: string): Observed => ({
  content,
  outcome: { kind: 'failed', class: failure },
});
