import { z } from 'zod';

/** The outcome of a tool call, as run statistics count it. */
export const toolOutcomeSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('found'),
    shown: z.int().positive(),
    /** Whether the model saw only a part of the result. */
    cut: z.boolean(),
    /** The id of the paper of each hit of a search that is shown. Absent for other tools. */
    papers: z.array(z.string()).readonly().optional(),
  }),
  z.object({ kind: z.literal('empty') }),
  /** `class` names the kind of failure, e.g. `binder`, `timeout` or `filter`. */
  z.object({ kind: z.literal('failed'), class: z.string().min(1) }),
]);
export type ToolOutcome = Readonly<z.infer<typeof toolOutcomeSchema>>;

export const toolFactsSchema = z.object({
  tool: z.enum(['sql', 'search', 'calculation', 'image', 'graph', 'plugin']),
  outcome: toolOutcomeSchema,
  /** Milliseconds of the tool call itself, to a tenth; null when no call was made. */
  ms: z.number().nonnegative().nullable(),
  /** US dollars, for a tool that costs money; null when the amount is unknown. */
  costUsd: z.number().nonnegative().nullable().optional(),
});
export type ToolFacts = Readonly<z.infer<typeof toolFactsSchema>>;

/** The result of an action: the text for the model and the outcome for statistics. */
export interface Observed {
  readonly content: string;
  readonly outcome: ToolOutcome;
}

export const failed = (failure: string, content: string): Observed => ({
  content,
  outcome: { kind: 'failed', class: failure },
});

/** An action whose arguments cannot be used. */
export interface Refused {
  readonly kind: 'refused';
  readonly observed: Observed;
}

export const refused = (failure: string, message: string): Refused => ({
  kind: 'refused',
  observed: failed(failure, `[Error]: ${message}`),
});
