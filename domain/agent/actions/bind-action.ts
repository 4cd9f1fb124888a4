import { repr, str, type PythonValue } from '../../formats/python/value.js';
import type { Arguments } from './action-format.js';
import { limitOf, type ActionSpec, type Field, type ParameterSpec } from './action-spec.js';
import {
  actionSchema,
  anyValueOf,
  anyValueOfJson,
  type Action,
  type Strictness,
} from './action.js';
import { parameterError } from './parse-error.js';

interface Failed {
  readonly kind: 'error';
  readonly error: string;
}

/** `thought` is null unless the call sets the hidden parameter of that name. */
export type BoundAction =
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
