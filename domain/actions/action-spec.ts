import type { Action, ActionName } from './action.js';
import type { AnyValue } from './any-value.js';

/** A field of an action. */
export type Field = string | AnyValue;

/** As the prompt names it. Only a `str` that is not `unchecked` is a text in the action; all else is `AnyValue`. */
export type ParameterType = 'str' | 'int' | 'List[float]' | 'Any';

export interface ParameterSpec {
  readonly name: string;
  readonly type: ParameterType;
  /** Absent where the parameter is required. */
  readonly default?: Field;
  /** A text whose type is looked at only when the action is carried out: until then it may be any literal. */
  readonly unchecked?: true;
  readonly description: string;
}

/** What a model is told about an action. */
export interface ActionSpec {
  readonly name: ActionName;
  readonly description: string;
  /** What comes back. */
  readonly observation: string;
  /** In the order of the action's schema, required ones first. */
  readonly parameters: readonly ParameterSpec[];
  readonly examples: readonly { readonly explanation: string; readonly action: Action }[];
}
