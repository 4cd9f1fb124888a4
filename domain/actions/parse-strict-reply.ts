import { actionFormats } from './action-formats.js';
import { bindAction } from './bind-action.js';
import { fencedText } from './fenced-text.js';
import type { ParsedReply, TextReplyStyle } from './parse-reply.js';
import { reactAction, reactThought } from './react-protocol.js';

/** Reads a reply exactly as the reference does (hybrid-agent.md §3.1 to §3.4). */
export function parseStrictReply(
  reply: string,
  { actions, format, protocol }: TextReplyStyle,
): ParsedReply {
  const react = protocol === 'react';
  const text = react ? reactAction(reply) : fencedText(reply, 'strict');
  const written = actionFormats[format].readStrictly(text, actions);
  if (written.kind === 'error') return written;
  const bound = bindAction(written.name, written.arguments, 'strict');
  if (bound.kind === 'error') return bound;
  const thought = react ? reactThought(reply) : null;
  return { kind: 'action', thought: thought ?? bound.thought ?? '', action: bound.action };
}
