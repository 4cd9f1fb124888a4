import { z } from 'zod';

/** Any Python value, kept as the text it is shown in: `str` and `repr` of what was read, byte for byte. */
export const answerSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string() }),
  /** What is not a text; `source` is its `repr`. */
  z.object({ kind: z.literal('literal'), source: z.string() }),
]);
export type Answer = Readonly<z.infer<typeof answerSchema>>;

/** What a model may do in a turn. Everything an action is asked with, and nothing about how it is carried out. */
export const actionSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('RetrieveFromDatabase'), sql: z.string() }),
  z.object({ kind: z.literal('ClassicRetrieve'), query: z.string(), limit: z.int().positive() }),
  z.object({ kind: z.literal('GenerateAnswer'), answer: answerSchema }),
]);
export type Action = Readonly<z.infer<typeof actionSchema>>;
export type ActionName = Action['kind'];

export const actionNames = [
  'RetrieveFromDatabase',
  'ClassicRetrieve',
  'GenerateAnswer',
] as const satisfies readonly ActionName[];

/** The answer as it is scored and observed: Python's `str` of it. */
export function answerText({
  answer,
}: Extract<Action, { readonly kind: 'GenerateAnswer' }>): string {
  return answer.kind === 'text' ? answer.text : answer.source;
}

/** What tells one action from another of its kind, for a line in a list. */
export function mainArgument(action: Action): string {
  switch (action.kind) {
    case 'RetrieveFromDatabase':
      return action.sql;
    case 'ClassicRetrieve':
      return action.query;
    case 'GenerateAnswer':
      return answerText(action);
  }
}
