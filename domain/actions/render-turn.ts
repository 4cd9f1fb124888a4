import { actionFormats, type ActionFormatName } from './action-formats.js';
import type { ParsedReply } from './parse-reply.js';

/**
 * A model's turn as history keeps it: rebuilt from what was read, so that quirks of writing do not spread,
 * or the reply as it came where nothing could be read (hybrid-agent.md §3.5).
 */
export function assistantMessage(
  parsed: ParsedReply,
  rawReply: string,
  format: ActionFormatName = 'markdown',
): string {
  if (parsed.kind === 'error') return rawReply;
  return `[Thought]: ${parsed.thought}\n[Action]:\n${actionFormats[format].renderAction(parsed.action)}`;
}

/** What a turn's action brought, as the next user message. */
export const observationMessage = (content: string): string =>
  `[Observation]:${content.includes('\n') ? '\n' : ' '}${content}`;
