import type { PythonCall } from '../../formats/python/literal.js';
import type { ActionSpec } from './action-spec.js';
import type { Action, Strictness } from './action.js';

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
