import { withParameters } from './action-object.js';
import { bindAction } from './bind-action.js';
import { describeInvalid, noActionError, parameterError } from './parse-error.js';
import type { ParsedReply, ReplyStyle } from './parse-reply.js';
import { parseTolerantReply } from './parse-tolerant-reply.js';
import type { ToolCall } from '../models/tool.js';
import { parseJson } from '../python/json.js';
import { parseLeadingLiteral } from '../python/literal.js';

/**
 * Reads the first of the calls a provider reports; what the model says beside it is its thought. Some servers leave
 * a call in the text: it is looked for there, as JSON, where none is reported.
 */
export function parseToolCalls(
  content: string,
  toolCalls: readonly ToolCall[],
  { actions, strictness, protocol }: Omit<ReplyStyle, 'format'>,
): ParsedReply {
  const [call] = toolCalls;
  if (call === undefined) {
    return parseTolerantReply(content, { actions, strictness, protocol, format: 'json' });
  }
  const name = actions.find((action) => action === call.name);
  if (name === undefined) {
    return {
      kind: 'error',
      error: noActionError(actions, `There is no action ${call.name.slice(0, 40)}`),
    };
  }
  const text = call.argumentsText.trim() === '' ? '{}' : call.argumentsText.trim();
  const strict = parseJson(text);
  const parsed = strict.kind === 'parsed' ? strict : parseLeadingLiteral(text, 0, 'lenient');
  if (parsed.kind === 'invalid') {
    return { kind: 'error', error: parameterError(name, describeInvalid(parsed, text)) };
  }
  const written = withParameters(name, parsed.value);
  if (written.kind === 'error') return written;
  const bound = bindAction(name, written.arguments, 'tolerant');
  return bound.kind === 'error'
    ? bound
    : { kind: 'action', thought: content.trim(), action: bound.action };
}
