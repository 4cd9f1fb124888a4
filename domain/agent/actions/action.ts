import { z } from 'zod';
import { parsePythonLiteral } from '../../formats/python/literal.js';
import { repr } from '../../formats/python/text.js';
import { pythonFromJson, type Json, type PythonValue } from '../../formats/python/value.js';

/**
 * Any Python value, kept as the text it is shown in: `str` and `repr` of what was read, byte for byte, so that it survives
 * JSON and what is wrong with it can be told to the model when its action is carried out.
 */
const anyValueSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string() }),
  /** What is not a text; `source` is its `repr`. */
  z.object({ kind: z.literal('literal'), source: z.string() }),
]);
export type AnyValue = Readonly<z.infer<typeof anyValueSchema>>;

export const anyValueOf = (value: PythonValue): AnyValue =>
  value.kind === 'str'
    ? { kind: 'text', text: value.value }
    : { kind: 'literal', source: repr(value) };

/** For values of our own. */
export const anyValueOfJson = (json: Json): AnyValue => anyValueOf(pythonFromJson(json));

/** Null for the few values whose `repr` is no literal, such as an ellipsis. */
export function pythonOfAnyValue(value: AnyValue): PythonValue | null {
  if (value.kind === 'text') return { kind: 'str', value: value.text };
  for (const dialect of ['python', 'lenient'] as const) {
    // Only the lenient dialect takes `nan` and `inf`.
    const parsed = parsePythonLiteral(value.source, dialect);
    if (parsed.kind === 'parsed') return parsed.value;
  }
  return null;
}

/** Python's `str` of the value. */
export const anyValueText = (value: AnyValue): string =>
  value.kind === 'text' ? value.text : value.source;

/** Python's `repr` of the value. */
export const anyValueRepr = (value: AnyValue): string =>
  value.kind === 'text' ? repr({ kind: 'str', value: value.text }) : value.source;

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

/** `strict` does what the reference does, byte for byte and with its weaknesses; `tolerant` is meant well. */
export type Strictness = 'strict' | 'tolerant';
