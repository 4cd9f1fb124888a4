import type { Action, ActionName } from './action.js';
import type { Strictness } from './strictness.js';
import { parseStrictReply } from './parse-strict-reply.js';
import { parseTolerantReply } from './parse-tolerant-reply.js';

/** What was read from a model's reply. An error is told to the model and costs it the turn. */
export type ParsedReply =
  | { readonly kind: 'action'; readonly thought: string; readonly action: Action }
  | { readonly kind: 'error'; readonly error: string };

/** Reads thought and action (react protocol, markdown actions) from a reply. Never throws; takes time linear in the reply. */
export function parseReply(
  reply: string,
  options: { readonly actions: readonly ActionName[]; readonly strictness: Strictness },
): ParsedReply {
  return options.strictness === 'strict'
    ? parseStrictReply(reply, options.actions)
    : parseTolerantReply(reply, options.actions);
}
