import type { PythonCall } from '../../formats/python/literal.js';
import type { ActionSpec } from './action-spec.js';
import type { Action, ActionName, Strictness } from './action.js';

/** How a model writes its actions. `tools` is the provider's own tool calling, the others are texts. */
export const actionFormatNames = ['markdown', 'json', 'xml', 'yaml', 'tools'] as const;
export type ActionFormatName = (typeof actionFormatNames)[number];
export type TextFormatName = Exclude<ActionFormatName, 'tools'>;

/** What labels and fences surround an action; a property of the method. */
export const protocolNames = ['react', 'code_block'] as const;
export type ProtocolName = (typeof protocolNames)[number];

export type Arguments = Pick<PythonCall, 'positional' | 'named'>;

/** An action as it is written, before its arguments are bound to parameters. */
export type WrittenAction =
  | { readonly kind: 'written'; readonly name: ActionName; readonly arguments: Arguments }
  | { readonly kind: 'error'; readonly error: string };

/** How actions are written: in the prompt's specification, its examples, the history, and replies. One file a format. */
export interface ActionFormat {
  /** As the prompt names it. */
  readonly title: string;
  readonly renderSyntax: (spec: ActionSpec) => string;
  /** As history keeps it. */
  readonly renderAction: (action: Action, strictness: Strictness) => string;
  /** As the prompt's use cases show it. */
  readonly renderExample: (action: Action) => string;
  /** Reads a text that is one action, exactly as the reference does (hybrid-agent.md §3.3). */
  readonly readStrictly: (text: string, actions: readonly ActionName[]) => WrittenAction;
  /** The source of a pattern (flags `imu`) that matches where an action may begin. */
  readonly opening: (actions: readonly ActionName[]) => string;
  /** Reads the action that begins at `start`, where `opening` matched, whatever follows it. */
  readonly readLeniently: (
    text: string,
    start: number,
    actions: readonly ActionName[],
  ) => { readonly written: WrittenAction; readonly end: number };
}
