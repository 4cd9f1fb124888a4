import type { Field, ParameterSpec } from './action-spec.js';
import { actionSpecs } from './action-specs.js';
import type { Action } from './action.js';

/** The parameters of an action that a model is shown, in the order of its specification: none of the hidden ones. */
export function fieldsOf(
  action: Action,
): readonly (readonly [parameter: ParameterSpec, field: Field])[] {
  const fields = new Map(Object.entries<Field | undefined>(action));
  return actionSpecs[action.kind].parameters.flatMap((parameter) => {
    const field = fields.get(parameter.name);
    return field === undefined ? [] : [[parameter, field] as const];
  });
}
