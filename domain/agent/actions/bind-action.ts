import { repr, str, type PythonValue, type PythonEntry } from '../../formats/python/value.js';
import {
  actionSchema,
  anyValueOf,
  anyValueOfJson,
  anyValueText,
  nameOfAction,
  pythonOfAnyValue,
  limitOf,
  type Action,
  type Strictness,
  type Arguments,
  type ActionSpec,
  type Field,
  type ParameterSpec,
  type WrittenAction,
} from './action.js';
import { fieldsOf } from './action-specs.js';
import { parameterError, noActionError } from './parse-error.js';

interface Failed {
  readonly kind: 'error';
  readonly error: string;
}

/** `thought` is null unless the call sets the hidden parameter of that name. */
type BoundAction =
  { readonly kind: 'bound'; readonly action: Action; readonly thought: string | null } | Failed;

/** In the reference system every action takes these parameters first, also by position. */
const hiddenBefore = ['thought', 'observation_format_kwargs'];
/** In the reference system this action takes one more parameter after its own. */
const hiddenAfter: Readonly<Partial<Record<string, 'output_fields'>>> = {
  RetrieveFromVectorstore: 'output_fields',
};

/** Binds the arguments of a call to the parameters of an action. Tolerant mode refuses hidden and missing parameters. */
export function bindAction(
  { name, parameters, isOfPlugin }: ActionSpec,
  call: Arguments,
  strictness: Strictness,
): BoundAction {
  const declared = parameters.map((parameter) => parameter.name);
  const last = isOfPlugin ? undefined : hiddenAfter[name];
  const given = nameArguments(
    name,
    call,
    strictness === 'strict'
      ? [...hiddenBefore, ...declared, ...(last === undefined ? [] : [last])]
      : declared,
  );
  if (given.kind === 'error') return given;

  const fields: [string, Field][] = [];
  for (const parameter of parameters) {
    const value = given.named.get(parameter.name);
    const reading =
      value === undefined
        ? defaultField(name, parameter, strictness)
        : readField(name, parameter, value, strictness);
    if (reading.kind === 'error') return reading;
    fields.push([parameter.name, reading.field]);
  }
  const hidden = last && given.named.get(last);
  if (last && hidden) fields.push([last, anyValueOf(hidden)]);
  const thought = given.named.get('thought');
  return {
    kind: 'bound',
    action: isOfPlugin
      ? pluginAction(name, fields)
      : actionSchema.parse({ kind: name, ...Object.fromEntries(fields) }),
    thought: thought === undefined ? null : str(thought),
  };
}

const pluginAction = (name: string, fields: readonly [string, Field][]): Action => ({
  kind: 'PluginAction',
  name,
  fields: fields.map(([parameter, value]) => ({
    name: parameter,
    value: typeof value === 'string' ? { kind: 'text', text: value } : value,
  })),
});

function nameArguments(
  action: string,
  { positional, named }: Arguments,
  names: readonly string[],
): { readonly kind: 'named'; readonly named: ReadonlyMap<string, PythonValue> } | Failed {
  const refused = (reason: string): Failed => ({
    kind: 'error',
    error: parameterError(action, reason),
  });
  const all = new Map<string, PythonValue>();
  for (const [index, value] of positional.entries()) {
    const name = names[index];
    if (name === undefined) return refused('There are more arguments than parameters');
    all.set(name, value);
  }
  for (const [name, value] of named) {
    if (!names.includes(name)) return refused(`There is no parameter ${name}`);
    if (all.has(name)) return refused(`The parameter ${name} is given twice`);
    all.set(name, value);
  }
  return { kind: 'named', named: all };
}

type FieldReading = { readonly kind: 'read'; readonly field: Field } | Failed;

function defaultField(
  action: string,
  parameter: ParameterSpec,
  strictness: Strictness,
): FieldReading {
  if (parameter.default !== undefined) return { kind: 'read', field: parameter.default };
  if (strictness === 'strict') {
    const empty = parameter.unchecked ? anyValueOfJson('') : emptyFields[parameter.type];
    return { kind: 'read', field: empty };
  }
  const reason = `The required parameter ${parameter.name} is missing`;
  return { kind: 'error', error: parameterError(action, reason) };
}

/** The reference system's values for parameters that the call leaves out. */
const emptyFields = {
  str: '',
  int: anyValueOfJson(1),
  float: anyValueOfJson(0),
  bool: anyValueOfJson(false),
  'List[float]': anyValueOfJson([]),
  Any: anyValueOfJson(''),
} as const satisfies Readonly<Record<ParameterSpec['type'], Field>>;

function readField(
  action: string,
  parameter: ParameterSpec,
  value: PythonValue,
  strictness: Strictness,
): FieldReading {
  const { name, type, unchecked } = parameter;
  if (type === 'int' && strictness === 'tolerant') {
    const written = anyValueOf(value);
    const integer = limitOf(written, 'tolerant');
    return { kind: 'read', field: integer === null ? written : anyValueOfJson(integer) };
  }
  if (type !== 'str' || unchecked) return { kind: 'read', field: anyValueOf(value) };
  if (strictness === 'strict') return { kind: 'read', field: str(value) };
  if (value.kind === 'str' && (value.value.trim() !== '' || parameter.default !== undefined)) {
    return { kind: 'read', field: value.value };
  }
  if (value.kind === 'str') {
    const reason = `The required parameter ${name} is empty`;
    return { kind: 'error', error: parameterError(action, reason) };
  }
  return {
    kind: 'error',
    error: parameterError(action, `The parameter ${name} must be a text, not ${repr(value)}`),
  };
}

// The json, xml and yaml formats share one structure: an object with `action_type` and `parameters`.

/** An action as an object with `action_type` and `parameters`. */
export const objectOfAction = (action: Action): PythonValue =>
  dict([
    [text('action_type'), text(nameOfAction(action))],
    [text('parameters'), parametersOf(action)],
  ]);

export const parametersOf = (action: Action): PythonValue =>
  dict(fieldsOf(action).map(([{ name }, field]): PythonEntry => [text(name), valueOfField(field)]));

/** The syntax of an action, as the prompt shows it. */
export function objectOfSpec({ name, parameters }: ActionSpec): PythonValue {
  const described = parameters.map(
    ({ name: parameter, type, default: fallback, description }): PythonEntry => [
      text(parameter),
      dict([
        [text('type'), text(type)],
        [text('required'), { kind: 'bool', value: fallback === undefined }],
        ...(fallback === undefined
          ? []
          : [[text('default'), valueOfField(fallback)] satisfies PythonEntry]),
        [text('description'), text(description)],
      ]),
    ],
  );
  return dict([
    [text('action_type'), text(name)],
    [text('parameters'), dict(described)],
  ]);
}

export function valueOfField(field: Field): PythonValue {
  if (typeof field === 'string') return text(field);
  return pythonOfAnyValue(field) ?? text(anyValueText(field));
}

/** Reads an action object as the reference system does: both keys must be present under exactly these names. */
export function actionOfObject(value: PythonValue, actions: readonly ActionSpec[]): WrittenAction {
  const type = member(value, 'action_type');
  const spec = actions.find(({ name }) => type?.kind === 'str' && type.value === name);
  if (spec === undefined) return { kind: 'error', error: noActionError(actions) };
  const parameters = member(value, 'parameters');
  if (parameters === null)
    return { kind: 'error', error: parameterError(spec.name, "'parameters'") };
  return withParameters(spec, parameters);
}

const typeKeys = ['action_type', 'action', 'name', 'tool'];
const parameterKeys = ['parameters', 'arguments', 'args'];

/** Reads an action object tolerantly: other common key names are accepted, and parameters beside the type. */
export function actionOfObjectLeniently(
  value: PythonValue,
  actions: readonly ActionSpec[],
): WrittenAction {
  const type = firstMember(value, typeKeys);
  if (type?.kind !== 'str') {
    return { kind: 'error', error: noActionError(actions, 'Its action_type is missing') };
  }
  const wanted = type.value.trim().toLowerCase();
  const spec = actions.find(({ name }) => name.toLowerCase() === wanted);
  if (spec === undefined) {
    const reason = `There is no action ${type.value.trim().slice(0, 40)}`;
    return { kind: 'error', error: noActionError(actions, reason) };
  }
  const parameters = firstMember(value, parameterKeys);
  const none =
    parameters?.kind === 'none' || (parameters?.kind === 'str' && parameters.value === '');
  if (none) return withParameters(spec, dict([]));
  return withParameters(spec, parameters ?? withoutKeys(value, typeKeys));
}

/** A call of an action whose arguments are the members of a dict. */
export function withParameters(spec: ActionSpec, parameters: PythonValue): WrittenAction {
  if (parameters.kind !== 'dict') {
    return { kind: 'error', error: parameterError(spec.name, 'The parameters are no object') };
  }
  const named = new Map<string, PythonValue>();
  for (const [key, value] of parameters.entries) {
    if (key.kind !== 'str') {
      return {
        kind: 'error',
        error: parameterError(spec.name, 'The name of a parameter is no text'),
      };
    }
    named.set(key.value, value);
  }
  return { kind: 'written', spec, arguments: { positional: [], named } };
}

function member(value: PythonValue, key: string): PythonValue | null {
  if (value.kind !== 'dict') return null;
  const entry = value.entries.find(([name]) => name.kind === 'str' && name.value === key);
  return entry?.[1] ?? null;
}

function firstMember(value: PythonValue, keys: readonly string[]): PythonValue | null {
  const key = keys.find((each) => member(value, each) !== null);
  return key === undefined ? null : member(value, key);
}

const withoutKeys = (value: PythonValue, keys: readonly string[]): PythonValue =>
  value.kind === 'dict'
    ? dict(value.entries.filter(([key]) => key.kind !== 'str' || !keys.includes(key.value)))
    : value;

const text = (value: string): PythonValue => ({ kind: 'str', value });

const dict = (entries: readonly PythonEntry[]): PythonValue => ({ kind: 'dict', entries });
