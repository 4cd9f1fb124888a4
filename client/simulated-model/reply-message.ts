import { jsonDumps } from '../../domain/python/json-dumps.js';
import { parsePythonCall } from '../../domain/python/literal.js';
import type { ChatRequest } from './chat-request.js';

/** The message of a completion, as OpenAI writes it. */
export interface ReplyMessage {
  readonly content: string | null;
  readonly tool_calls?: readonly object[];
}

const oneLine = { indent: null, ascii: false };
const turn = /^\[Thought\]: (?<thought>.*?)\n\[Action\]:\n(?<action>.*)$/s;

/**
 * What the script says, in the form that was asked for: where tools are offered, an action in Markdown becomes a call of
 * the tool of its name, beside the thought. Everything else stays the text it is.
 * @param number - of the completion; makes the call's id
 */
export function replyMessage({ tools }: ChatRequest, reply: string, number: number): ReplyMessage {
  const { thought, action } = turn.exec(reply)?.groups ?? {};
  if (!tools?.length || thought === undefined || action === undefined) return { content: reply };
  const parsed = parsePythonCall(action);
  if (parsed.kind === 'invalid') return { content: reply };
  const { name, named } = parsed.call;
  const entries = [...named].map(([key, value]) => [{ kind: 'str', value: key }, value] as const);
  return {
    content: thought,
    tool_calls: [
      {
        id: `call_simulated_${number}`,
        type: 'function',
        function: { name, arguments: jsonDumps({ kind: 'dict', entries }, oneLine) },
      },
    ],
  };
}
