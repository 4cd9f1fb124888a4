import { parametersOf } from '../actions/action-object.js';
import type { Action } from '../actions/action.js';
import { jsonDumps } from '../python/json.js';

/** The parameters of an action as JSON; under `written` as they are where a model wrote a number that JSON has none of. */
export function actionArguments(action: Action): Readonly<Record<string, unknown>> {
  const written = jsonDumps(parametersOf(action), { indent: null, ascii: false });
  return argumentsIn(written);
}

/** Arguments of a tool call that a model wrote; under `written` where they are no JSON object. */
export function argumentsIn(written: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(written);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Readonly<Record<string, unknown>>) : { written };
  } catch {
    return { written };
  }
}
