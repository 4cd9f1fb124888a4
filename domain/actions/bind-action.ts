import type { Field, ParameterSpec } from './action-spec.js';
import { actionSpecs } from './action-specs.js';
import { actionSchema, type Action, type ActionName } from './action.js';
import { parameterError, positiveIntegerError } from './parse-error.js';
import type { PythonCall } from '../python/literal.js';
import { repr, str } from '../python/text.js';
import type { PythonValue } from '../python/value.js';
import type { Strictness } from './strictness.js';

interface Failed {
  readonly kind: 'error';
  readonly error: string;
}

/** `thought` is null unless the call set the hidden field of that name. */
export type BoundAction =
  { readonly kind: 'bound'; readonly action: Action; readonly thought: string | null } | Failed;

/** Every action of the reference takes these before its own, by position too. */
const hiddenNames = ['thought', 'observation_format_kwargs'];

/** Makes an action of a call's arguments. Tolerantly, no hidden field can be set and no required one left out. */
export function bindAction(
  name: ActionName,
  call: PythonCall,
  strictness: Strictness,
): BoundAction {
  const { parameters } = actionSpecs[name];
  const declared = parameters.map((parameter) => parameter.name);
  const given = nameArguments(
    name,
    call,
    strictness === 'strict' ? [...hiddenNames, ...declared] : declared,
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
  const thought = given.named.get('thought');
  return {
    kind: 'bound',
    action: actionSchema.parse({ kind: name, ...Object.fromEntries(fields) }),
    thought: thought === undefined ? null : str(thought),
  };
}

function nameArguments(
  action: ActionName,
  { positional, named }: PythonCall,
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
  action: ActionName,
  parameter: ParameterSpec,
  strictness: Strictness,
): FieldReading {
  if (parameter.default !== undefined) return { kind: 'read', field: parameter.default };
  if (strictness === 'strict') return { kind: 'read', field: emptyFields[parameter.type] };
  const reason = `The required parameter ${parameter.name} is missing`;
  return { kind: 'error', error: parameterError(action, reason) };
}

/** What a field of the reference holds when nothing sets it. */
const emptyFields = {
  str: '',
  int: 1,
  Any: { kind: 'text', text: '' },
} as const satisfies Readonly<Record<ParameterSpec['type'], Field>>;

function readField(
  action: ActionName,
  { name, type }: ParameterSpec,
  value: PythonValue,
  strictness: Strictness,
): FieldReading {
  switch (type) {
    case 'str':
      if (value.kind === 'str' || strictness === 'strict') {
        return { kind: 'read', field: str(value) };
      }
      return {
        kind: 'error',
        error: parameterError(action, `The parameter ${name} must be a text, not ${repr(value)}`),
      };
    case 'int': {
      const limit = positiveInteger(value, strictness);
      // The reference takes any limit and answers a bad one with this very error: the model sees the same.
      return limit === null
        ? { kind: 'error', error: positiveIntegerError(name) }
        : { kind: 'read', field: limit };
    }
    case 'Any':
      return {
        kind: 'read',
        field:
          value.kind === 'str'
            ? { kind: 'text', text: value.value }
            : { kind: 'literal', source: repr(value) },
      };
  }
}

/** Python's `int(str(value))` where it is above 0; tolerantly, `5.0` counts too. */
function positiveInteger(value: PythonValue, strictness: Strictness): number | null {
  const text = str(value).trim();
  const digits = strictness === 'tolerant' ? text.replace(/\.0$/, '') : text;
  if (!/^\+?\d+(?:_\d+)*$/.test(digits)) return null;
  const integer = Number(digits.replaceAll('_', ''));
  return Number.isSafeInteger(integer) && integer > 0 ? integer : null;
}
