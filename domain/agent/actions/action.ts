import { z } from 'zod';
import { parsePythonLiteral, type PythonCall } from '../../formats/python/literal.js';
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

/** A field of an action. */
export type Field = string | AnyValue;

/** A parameter's type in the prompt. The action holds a string for `str` without `unchecked`, and `AnyValue` for all others. */
export type ParameterType = 'str' | 'int' | 'float' | 'bool' | 'List[float]' | 'Any';

export interface ParameterSpec {
  readonly name: string;
  readonly type: ParameterType;
  /** Absent where the parameter is required. */
  readonly default?: Field | undefined;
  /** The type is checked when the action runs; until then the value may be any literal. */
  readonly unchecked?: true | undefined;
  readonly description: string;
}

/** What the tables of a method's store are about: papers, or anything. */
export type Subject = 'papers' | 'tables';

/** The specification of an action, as the prompt shows it. */
export interface ActionSpec {
  readonly name: string;
  /** Absent for the actions of turnwise. */
  readonly isOfPlugin?: true;
  readonly description: string;
  /** What the observation will contain. */
  readonly observation: string;
  /** In the order of the action's schema; required parameters first. */
  readonly parameters: readonly ParameterSpec[];
  readonly examples: readonly { readonly explanation: string; readonly action: Action }[];
}

/** An action that a method has: one of turnwise by its name, one of a plugin by its specification. */
export type ActionRef = ActionName | ActionSpec;

export const nameOfRef = (ref: ActionRef): string => (typeof ref === 'string' ? ref : ref.name);

// These functions check parameters when an action runs, as the reference system does. They return null for an invalid
// value; the caller then makes the error observation.

/**
 * The limit of a search: Python's `int(str(value))` where that is above 0. In strict mode an int of 0 or less passes, as in
 * the reference system, and the search refuses it later. In tolerant mode `5.0` is read as 5.
 */
export function limitOf(value: AnyValue, strictness: Strictness): number | null {
  const python = pythonOfAnyValue(value);
  if (python?.kind === 'int' && strictness === 'strict') return Number(python.value);
  const text = anyValueText(value).trim();
  return positive(integerIn(strictness === 'tolerant' ? text.replace(/\.0$/, '') : text));
}

/** The paper id of a ViewImage action. */
export const paperIdOf = (value: AnyValue): string | null =>
  value.kind === 'text' ? value.text : null;

/** The page of a ViewImage action, from 1: Python's `int(value)` where that is above 0. */
export function pageNumberOf(value: AnyValue): number | null {
  const python = pythonOfAnyValue(value);
  if (python?.kind === 'str') return positive(integerIn(python.value.trim()));
  const number = python && numberOf(python);
  return number === null ? null : positive(Math.trunc(number));
}

/** The box of a ViewImage action: `[x, y, width, height]` in PDF points from the top left, or `[]` for the whole page. */
export function boundingBoxOf(value: AnyValue): readonly number[] | null {
  const python = pythonOfAnyValue(value);
  if (python?.kind === 'none' || (python?.kind === 'str' && python.value === '')) return [];
  if (python?.kind !== 'list' || ![0, 4].includes(python.items.length)) return null;
  const numbers = python.items.map(floatOf);
  return numbers.every((number) => number !== null) ? numbers : null;
}

/** Python's `float(value)` where it is finite. */
function floatOf(value: PythonValue): number | null {
  const number = value.kind === 'str' ? floatIn(value.value.trim()) : numberOf(value);
  return number !== null && Number.isFinite(number) ? number : null;
}

const numberOf = (value: PythonValue): number | null =>
  value.kind === 'int' || value.kind === 'float' || value.kind === 'bool'
    ? Number(value.value)
    : null;

/** Python's `float(text)` for decimal digits. */
const floatIn = (text: string): number | null =>
  /^[+-]?(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:e[+-]?\d+)?$/i.test(text)
    ? Number(text.replaceAll('_', ''))
    : null;

/** Python's `int(text)` for decimal digits. */
const integerIn = (text: string): number | null =>
  /^[+-]?\d+(?:_\d+)*$/.test(text) ? Number(text.replaceAll('_', '')) : null;

const positive = (number: number | null): number | null =>
  number !== null && Number.isSafeInteger(number) && number > 0 ? number : null;

/** The notation in which a model writes its actions. `tools` is the provider's tool calling; the others are text. */
export const actionFormatNames = ['markdown', 'json', 'xml', 'yaml', 'tools'] as const;
export type ActionFormatName = (typeof actionFormatNames)[number];
export type TextFormatName = Exclude<ActionFormatName, 'tools'>;

/** The labels or fences around an action. The method decides which. */
export const protocolNames = ['react', 'code_block'] as const;
export type ProtocolName = (typeof protocolNames)[number];

export type Arguments = Pick<PythonCall, 'positional' | 'named'>;

/** An action as it is written, before its arguments are bound to parameters. */
export type WrittenAction =
  | { readonly kind: 'written'; readonly spec: ActionSpec; readonly arguments: Arguments }
  | { readonly kind: 'error'; readonly error: string };

/** One notation: renders actions for the prompt and the conversation, and reads them from replies. One file per format. */
export interface ActionFormat {
  /** The format's name in the prompt. */
  readonly title: string;
  readonly renderSyntax: (spec: ActionSpec) => string;
  /** An action as the conversation repeats it. */
  readonly renderAction: (action: Action, strictness: Strictness) => string;
  /** An action as the prompt's use cases show it. */
  readonly renderExample: (action: Action) => string;
  /** Reads a text that is one action, exactly as the reference system does. */
  readonly readStrictly: (text: string, actions: readonly ActionSpec[]) => WrittenAction;
  /** The source of a pattern (flags `imu`) that matches where an action may begin. */
  readonly opening: (actions: readonly ActionSpec[]) => string;
  /** Reads the action at `start`, where `opening` matched. Text after the action is ignored. */
  readonly readLeniently: (
    text: string,
    start: number,
    actions: readonly ActionSpec[],
  ) => { readonly written: WrittenAction; readonly end: number };
}
