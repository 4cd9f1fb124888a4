import type { Action, ActionName, Answer } from './action.js';

/** A field of an action. */
export type Field = string | number | Answer;

/** As the prompt names it. `int` is a positive integer throughout. */
export type ParameterType = 'str' | 'int' | 'Any';

export interface ParameterSpec {
  readonly name: string;
  readonly type: ParameterType;
  /** Absent where the parameter is required. */
  readonly default?: Field;
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
