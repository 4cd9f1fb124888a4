import type { PythonEntry, PythonValue } from '../../formats/python/value.js';
import type { WrittenAction } from './action-format.js';
import type { ActionSpec, Field } from './action-spec.js';
import { fieldsOf } from './action-specs.js';
import { anyValueText, nameOfAction, pythonOfAnyValue, type Action } from './action.js';
import { noActionError, parameterError } from './parse-error.js';

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
