import { actionFormats } from './action-formats.js';
import type { ParsedReply, ReplyStyle } from './parse-reply.js';

/** How history writes turns down. */
export type HistoryStyle = Pick<ReplyStyle, 'format' | 'protocol' | 'strictness'>;

/**
 * A model's turn as history keeps it: rebuilt from what was read, so that quirks of writing do not spread,
 * or the reply as it came where nothing could be read (hybrid-agent.md §3.5). A tool call is written as JSON.
 */
export function assistantMessage(
  parsed: ParsedReply,
  rawReply: string,
  { format, protocol, strictness }: HistoryStyle,
): string {
  if (parsed.kind === 'error') return rawReply;
  const text = format === 'tools' ? 'json' : format;
  const body = actionFormats[text].renderAction(parsed.action, strictness);
  const [opening, closing] = protocol === 'code_block' ? [`\`\`\`${text}\n`, '\n```'] : ['', ''];
  // The reference loses what stands before an xml or yaml action.
  const lost = strictness === 'strict' && (text === 'xml' || text === 'yaml');
  const before = lost ? '' : `[Thought]: ${parsed.thought}\n[Action]:\n${opening}`;
  return before + body + closing;
}

/** What a turn's action brought, as the next user message. */
export const observationMessage = (content: string): string =>
  `[Observation]:${content.includes('\n') ? '\n' : ' '}${content}`;
