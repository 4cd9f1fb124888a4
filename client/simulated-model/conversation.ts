import { z } from 'zod';
import type { ChatRequest } from './chat-request.js';
import type { Row } from './placeholders.js';

type Message = ChatRequest['messages'][number];

/** What the messages of a request tell about where a question stands. The history may be windowed: nothing is counted. */
export interface Conversation {
  readonly question: string | undefined;
  /** Of the last assistant message. */
  readonly lastThought: string | undefined;
  /** Of the last observation, where that is in JSON format. */
  readonly rows: readonly Row[];
  readonly lastMessage: string;
}

export function readConversation({ messages }: ChatRequest): Conversation {
  const lastMessage = messages.at(-1)?.content ?? '';
  const task = messages.find(({ role }) => role === 'user')?.content ?? '';
  const said = messages.findLast(({ role }) => role === 'assistant');
  return {
    question: questionIn(task),
    lastThought: said === undefined ? undefined : thoughtIn(said),
    rows: said === undefined ? [] : rowsIn(lastMessage),
    lastMessage,
  };
}

/** Beside a tool call it is all of the text. */
const thoughtIn = ({ content, tool_calls: calls }: Message): string | undefined =>
  calls?.length
    ? content.replace(/^\[Thought\]:/, '')
    : /\[Thought\]:(.*?)\n\[Action\]:/s.exec(content)?.[1];

/** The last one: methods with a single message explain the labels in it before they use them. */
const questionIn = (task: string): string | undefined =>
  [...task.matchAll(/^\[Question\]: (.*?)\n(?=\[Answer Format\]:)/gms)].at(-1)?.[1]?.trim();

const rowSchema = z.record(z.string(), z.json());

function rowsIn(observation: string): readonly Row[] {
  return observation.split('\n').flatMap((line) => {
    if (!line.startsWith('{')) return [];
    try {
      const row = rowSchema.safeParse(JSON.parse(line));
      return row.success ? [row.data] : [];
    } catch {
      return [];
    }
  });
}
