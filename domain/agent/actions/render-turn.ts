import { actionFormats } from './action-formats.js';
import type { ReplyRecord } from '../turn-record.js';
import type { ReplyStyle } from './parse-reply.js';

/** The style in which the conversation repeats turns. */
type HistoryStyle = Pick<ReplyStyle, 'format' | 'protocol' | 'strictness'>;

/**
 * The assistant message of a turn in later requests. It is rendered from the parsed action, so that formatting errors do
 * not repeat; an unreadable reply is kept as it is. A tool call is written as JSON.
 */
export function assistantMessage(
  parsed: ReplyRecord['reading'],
  rawReply: string,
  { format, protocol, strictness }: HistoryStyle,
): string {
  if (parsed.kind !== 'action') return rawReply;
  const text = format === 'tools' ? 'json' : format;
  const body = actionFormats[text].renderAction(parsed.action, strictness);
  const [opening, closing] = protocol === 'code_block' ? [`\`\`\`${text}\n`, '\n```'] : ['', ''];
  // The reference system drops the thought before an xml or yaml action.
  const dropsThought = strictness === 'strict' && (text === 'xml' || text === 'yaml');
  const before = dropsThought ? '' : `[Thought]: ${parsed.thought}\n[Action]:\n${opening}`;
  return before + body + closing;
}

/** The user message that holds the observation of a turn. */
export const observationMessage = (content: string): string =>
  `[Observation]:${content.includes('\n') ? '\n' : ' '}${content}`;
