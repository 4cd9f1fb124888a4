import { z } from 'zod';

/**
 * What a judge is to write:
 * - `verdict`: whether the answer meets its rule
 * - `selection`: whether it is right, partly right or wrong
 * - `grades`: its quality in four respects and overall, from 1 to 10
 */
export type ReplyForm = 'verdict' | 'selection' | 'grades';

const grade = z.strictObject({ explanation: z.string(), score: z.number() });

/** Replies of providers that hold a model to a schema. Reasons come first: what is written last rests on them. */
export const structuredReplies = {
  verdict: z.strictObject({ reasoning: z.string(), verdict: z.boolean() }),
  selection: z.strictObject({ reasoning: z.string(), selection: z.enum(['1', '0.5', '0']) }),
  grades: z.strictObject({
    relevance: grade,
    accuracy: grade,
    completeness: grade,
    conciseness: grade,
    overall: z.number(),
  }),
} as const satisfies Record<ReplyForm, z.ZodType>;

/** How a text that is no JSON by force has to end. */
export const textInstructions: Readonly<Record<ReplyForm, string>> = {
  verdict: `Reason in as many sentences as you need. Then end your reply with a code fence of this form that holds nothing but the word True or the word False:

\`\`\`txt
True
\`\`\``,
  selection: `Reply with nothing but a JSON object of one key, selection, whose value is one of the texts "1", "0.5" and "0":

{"selection": "1"}`,
  grades: `Reply in this form, and write nothing after its last line:

Evaluation:
1. Relevance: <score> - <explanation>
2. Accuracy: <score> - <explanation>
3. Completeness: <score> - <explanation>
4. Conciseness: <score> - <explanation>
Overall Quality Score: <the average of the four scores>`,
};

/** The same for providers that hold the model to the schema. */
export const structuredInstructions: Readonly<Record<ReplyForm, string>> = {
  verdict:
    'Reply with a JSON object: first your reasoning, then verdict, which is true or false and follows from it.',
  selection:
    'Reply with a JSON object: first your reasoning, then selection, which is "1", "0.5" or "0" and follows from it.',
  grades:
    'Reply with a JSON object: for relevance, accuracy, completeness and conciseness an explanation and then a score, and in overall the average of the four scores.',
};
