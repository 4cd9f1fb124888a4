import type { ActionSpec } from './action-spec.js';
import type { Action } from './action.js';
import { markdownFormat } from './markdown-format.js';

/** How actions are written: in the prompt's specification, its examples, and the history. One file a format. */
export interface ActionFormat {
  /** As the prompt names it. */
  readonly title: string;
  readonly renderSyntax: (spec: ActionSpec) => string;
  readonly renderAction: (action: Action) => string;
}

export const actionFormats = { markdown: markdownFormat } as const satisfies Record<
  string,
  ActionFormat
>;
export type ActionFormatName = keyof typeof actionFormats;
