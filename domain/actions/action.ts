import { z } from 'zod';
import { anyValueSchema, anyValueText } from './any-value.js';

/**
 * What a model may do in a turn. Everything an action is asked with, and nothing about how it is carried out.
 *
 * A parameter that the reference checks only when it carries the action out (hybrid-agent.md §2.3, §2.6) holds whatever
 * literal was written: `limitOf`, `paperIdOf`, `pageNumberOf` and `boundingBoxOf` of `argument-checks.ts` read it, and
 * their null is answered with the message of the check. All others are texts.
 */
export const actionSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('RetrieveFromDatabase'), sql: z.string() }),
  z.object({
    kind: z.literal('RetrieveFromVectorstore'),
    query: z.string(),
    collection_name: z.string(),
    table_name: z.string(),
    column_name: z.string(),
    /** In Milvus's filter language; empty for none. */
    filter: z.string(),
    limit: anyValueSchema,
    /** Hidden from the model, and set only by a call that is read strictly: the columns to show, as a list of texts. */
    output_fields: anyValueSchema.optional(),
  }),
  z.object({ kind: z.literal('ClassicRetrieve'), query: z.string(), limit: anyValueSchema }),
  z.object({ kind: z.literal('CalculateExpr'), expr: z.string() }),
  z.object({
    kind: z.literal('ViewImage'),
    paper_id: anyValueSchema,
    page_number: anyValueSchema,
    bounding_box: anyValueSchema,
  }),
  z.object({ kind: z.literal('QueryGraph'), query: z.string() }),
  z.object({ kind: z.literal('GenerateAnswer'), answer: anyValueSchema }),
]);
export type Action = Readonly<z.infer<typeof actionSchema>>;
export type ActionName = Action['kind'];

export const actionNames = [
  'RetrieveFromDatabase',
  'RetrieveFromVectorstore',
  'ClassicRetrieve',
  'CalculateExpr',
  'ViewImage',
  'QueryGraph',
  'GenerateAnswer',
] as const satisfies readonly ActionName[];

/** Whether an action commonly takes less than seconds, and costs nothing if it is carried out twice. */
export const isQuick = (name: ActionName): boolean => name !== 'QueryGraph';

/** The answer as it is scored and observed: Python's `str` of it. */
export const answerText = ({
  answer,
}: Extract<Action, { readonly kind: 'GenerateAnswer' }>): string => anyValueText(answer);

/** What tells one action from another of its kind, for a line in a list. */
export function mainArgument(action: Action): string {
  switch (action.kind) {
    case 'RetrieveFromDatabase':
      return action.sql;
    case 'RetrieveFromVectorstore':
    case 'ClassicRetrieve':
    case 'QueryGraph':
      return action.query;
    case 'CalculateExpr':
      return action.expr;
    case 'ViewImage':
      return `page ${anyValueText(action.page_number)} of ${anyValueText(action.paper_id)}`;
    case 'GenerateAnswer':
      return answerText(action);
  }
}
