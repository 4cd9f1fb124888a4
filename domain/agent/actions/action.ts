import { z } from 'zod';
import { parsePythonLiteral } from '../../formats/python/literal.js';
import { repr, pythonFromJson, type Json, type PythonValue } from '../../formats/python/value.js';

/**
 * Any Python value, stored as the text of its `str` or `repr`. The text survives JSON, and an error message can quote it
 * when the action runs.
 */
export const anyValueSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string() }),
  /** Any value except a string; `source` is its `repr`. */
  z.object({ kind: z.literal('literal'), source: z.string() }),
]);
export type AnyValue = Readonly<z.infer<typeof anyValueSchema>>;

export const anyValueOf = (value: PythonValue): AnyValue =>
  value.kind === 'str'
    ? { kind: 'text', text: value.value }
    : { kind: 'literal', source: repr(value) };

export const anyValueOfJson = (json: Json): AnyValue => anyValueOf(pythonFromJson(json));

/** Null for the few values whose `repr` is not a literal, such as an ellipsis. */
export function pythonOfAnyValue(value: AnyValue): PythonValue | null {
  if (value.kind === 'text') return { kind: 'str', value: value.text };
  for (const dialect of ['python', 'lenient'] as const) {
    // Only the lenient dialect accepts `nan` and `inf`.
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
 * The actions that a model may choose in a turn, with their parameters.
 *
 * Parameters of type `AnyValue` hold any literal, because the reference system checks them only when the action runs:
 * `limitOf`, `paperIdOf`, `pageNumberOf` and `boundingBoxOf` in `action-spec.ts` do so here. All other parameters are
 * strings.
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
    /** The columns to show, a list of strings. The prompt does not mention it; only strict mode reads it. */
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
  /** An action of a plugin, with its parameters in the order of its specification. */
  z.object({
    kind: z.literal('PluginAction'),
    name: z.string(),
    fields: z.array(z.object({ name: z.string(), value: anyValueSchema })).readonly(),
  }),
]);
export type Action = Readonly<z.infer<typeof actionSchema>>;
export type ActionKind = Action['kind'];
export type PluginAction = Extract<Action, { readonly kind: 'PluginAction' }>;
/** The actions that turnwise has. */
export type ActionName = Exclude<ActionKind, 'PluginAction'>;

export const actionNames = [
  'RetrieveFromDatabase',
  'RetrieveFromVectorstore',
  'ClassicRetrieve',
  'CalculateExpr',
  'ViewImage',
  'QueryGraph',
  'GenerateAnswer',
] as const satisfies readonly ActionName[];

export const actionKinds = [...actionNames, 'PluginAction'] as const;

/** The name by which a model calls the action. */
export const nameOfAction = (action: Action): string =>
  action.kind === 'PluginAction' ? action.name : action.kind;

/** Whether an action usually takes less than a second and costs nothing when it runs twice. */
export const isQuick = (kind: ActionKind): boolean =>
  kind !== 'QueryGraph' && kind !== 'PluginAction';

/** The answer as it is scored and shown: its Python `str`. */
export const answerText = ({
  answer,
}: Extract<Action, { readonly kind: 'GenerateAnswer' }>): string => anyValueText(answer);

/** The argument that best identifies an action, for a line in a list. */
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
    case 'PluginAction':
      return `${action.name}: ${action.fields.map(({ value }) => anyValueText(value)).join(', ')}`;
  }
}

/** `strict` reproduces the reference system byte for byte, defects included. `tolerant` is the default. */
export type Strictness = 'strict' | 'tolerant';
