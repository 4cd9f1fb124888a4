import type { ActionFormatName, ProtocolName, TextFormatName } from './action-format-names.js';
import type { Action, ActionName } from './action.js';
import { parseStrictReply } from './parse-strict-reply.js';
import { parseTolerantReply } from './parse-tolerant-reply.js';
import { parseToolCalls } from './parse-tool-calls.js';
import type { Strictness } from './strictness.js';
import type { ToolCall } from '../models/tool.js';

/** What was read from a model's reply. An error is told to the model and costs it the turn. */
export type ParsedReply =
  | { readonly kind: 'action'; readonly thought: string; readonly action: Action }
  | { readonly kind: 'error'; readonly error: string };

export interface ReplyStyle {
  readonly actions: readonly ActionName[];
  readonly strictness: Strictness;
  readonly format: ActionFormatName;
  readonly protocol: ProtocolName;
}

export type TextReplyStyle = ReplyStyle & { readonly format: TextFormatName };

/** Reads thought and action from a reply. Never throws; takes time linear in the reply. */
export function parseReply(
  reply: string,
  { format, ...style }: ReplyStyle,
  toolCalls: readonly ToolCall[] = [],
): ParsedReply {
  if (format === 'tools') return parseToolCalls(reply, toolCalls, style);
  return style.strictness === 'strict'
    ? parseStrictReply(reply, { ...style, format })
    : parseTolerantReply(reply, { ...style, format });
}
